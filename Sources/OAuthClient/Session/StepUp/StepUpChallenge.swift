// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import OAuthCore

/// What the next sign-in must ask for, because an API requires stronger or more recent authentication of the user.
///
/// ## Specification
///
/// [RFC 9470 §3](https://www.rfc-editor.org/rfc/rfc9470#section-3)
public struct StepUpChallenge: Sendable, Hashable {
    /// `acr_values`: the acceptable authentication contexts, the preferred one first; empty when the API does not say.
    public let acrValues: [String]
    /// `max_age`: how long ago the user may have authenticated; `nil` when the API does not say.
    public let maxAge: Duration?
    /// `scope`: the scope tokens that the request needs; empty when the API does not say.
    public let scopes: [String]

    /// Reads the challenges of a response; `nil` when none of scheme DPoP or Bearer has the error
    /// `insufficient_user_authentication`.
    ///
    /// A malformed parameter is ignored.
    ///
    /// - Parameter challenges: The challenges of its `WWW-Authenticate` fields.
    public init?(_ challenges: [Challenge]) {
        let challenge = challenges.first { challenge in
            (challenge.hasScheme("DPoP") || challenge.hasScheme("Bearer"))
                && challenge.value(for: "error") == OAuthErrorCode.insufficientUserAuthentication.rawValue
        }
        guard let challenge else { return nil }
        acrValues = ChallengeText.words(challenge.value(for: "acr_values"))
        scopes = ChallengeText.words(challenge.value(for: "scope"))
        maxAge = challenge.value(for: "max_age").flatMap(Self.seconds)
    }

    /// The options for ``OAuth2Client/signIn(scopes:using:options:)``: `acr_values` and `max_age`.
    public var options: AuthorizationOptions {
        var options = AuthorizationOptions()
        options.acrValues = acrValues
        options.maxAge = maxAge
        return options
    }

    /// Parses a non-negative number of seconds (RFC 9470 section 3).
    private static func seconds(_ text: String) -> Duration? {
        guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text).map { .seconds($0) }
    }
}
