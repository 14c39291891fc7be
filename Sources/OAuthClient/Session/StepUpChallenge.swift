// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import OAuthCore

/// What the next sign-in must ask for, since an API wants the user to have signed in more strongly or more recently.
///
/// ## Specification
///
/// [RFC 9470 §3](https://www.rfc-editor.org/rfc/rfc9470#section-3)
public struct StepUpChallenge: Sendable, Hashable {
    /// What the parameters may hold, in bytes: they become part of the next authorization request.
    private static let maximumLength = 2048

    /// `acr_values`: the authentication contexts that would do, the preferred one first; empty when the API does not say.
    public let acrValues: [String]
    /// `max_age`: how long ago the user may have signed in; `nil` when the API does not say.
    public let maxAge: Duration?
    /// `scope`: what the request needs, in scope tokens; empty when the API does not say.
    public let scopes: [String]

    /// Reads the challenges of an answer; `nil` when none of scheme DPoP or Bearer has the error
    /// `insufficient_user_authentication`.
    ///
    /// A parameter that is not of its form is left out.
    ///
    /// - Parameter challenges: The challenges of its `WWW-Authenticate` fields.
    public init?(_ challenges: [Challenge]) {
        let challenge = challenges.first { challenge in
            (challenge.hasScheme("DPoP") || challenge.hasScheme("Bearer"))
                && challenge.value(for: "error") == OAuthErrorCode.insufficientUserAuthentication.rawValue
        }
        guard let challenge else { return nil }
        acrValues = Self.words(challenge.value(for: "acr_values"))
        scopes = Self.words(challenge.value(for: "scope"))
        maxAge = challenge.value(for: "max_age").flatMap(Self.seconds)
    }

    /// What to ask for with ``OAuth2Client/signIn(scopes:using:options:)``: `acr_values` and `max_age`.
    public var options: AuthorizationOptions {
        var options = AuthorizationOptions()
        options.acrValues = acrValues
        options.maxAge = maxAge
        return options
    }

    /// Words of visible ASCII; none when there is anything else.
    private static func words(_ text: String?) -> [String] {
        guard let text, text.utf8.count <= maximumLength, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return []
        }
        return text.split(separator: " ").map(String.init)
    }

    /// A number of seconds that is not negative (RFC 9470 section 3).
    private static func seconds(_ text: String) -> Duration? {
        guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text).map { .seconds($0) }
    }
}
