// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import OAuthCore

/// What an API demands that rejected a request because the token does not allow it.
///
/// ## Specification
///
/// [RFC 6750 §3.1](https://www.rfc-editor.org/rfc/rfc6750#section-3.1)
public struct ScopeChallenge: Sendable, Hashable {
    /// `scope`: the scope tokens that the request needs; empty when the API does not say.
    public let scopes: [String]
    /// `resource_metadata`: where the metadata of the API is (RFC 9728 section 5.1); `nil` when the API does not say.
    ///
    /// It comes from the API: check it as ``ProtectedResourceDiscovery`` does before you use it.
    public let resourceMetadata: String?

    /// Reads the challenges of a response; `nil` when none of scheme DPoP or Bearer has the error `insufficient_scope`.
    ///
    /// A malformed parameter is ignored.
    ///
    /// - Parameter challenges: The challenges of its `WWW-Authenticate` fields.
    public init?(_ challenges: [Challenge]) {
        let challenge = challenges.first { challenge in
            (challenge.hasScheme("DPoP") || challenge.hasScheme("Bearer"))
                && challenge.value(for: "error") == OAuthErrorCode.insufficientScope.rawValue
        }
        guard let challenge else { return nil }
        scopes = ChallengeText.words(challenge.value(for: "scope"))
        resourceMetadata = challenge.value(for: "resource_metadata").flatMap { ChallengeText.isShort($0) ? $0 : nil }
    }

    /// Reads the challenge of a response, if it is a 403.
    init?(status: Int, _ fields: HTTPFields) {
        guard status == 403, let challenges = try? Challenge.parse(fields.values(for: "WWW-Authenticate")) else {
            return nil
        }
        self.init(challenges)
    }
}

/// Parameters of challenges, which become part of the next authorization request.
enum ChallengeText {
    /// The maximum length of a parameter, in bytes.
    private static let maximumLength = 2048

    /// Splits a text into words of visible ASCII; empty if it has any other character.
    static func words(_ text: String?) -> [String] {
        guard let text, isShort(text) else { return [] }
        return text.split(separator: " ").map(String.init)
    }

    static func isShort(_ text: String) -> Bool {
        text.utf8.count <= maximumLength && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
