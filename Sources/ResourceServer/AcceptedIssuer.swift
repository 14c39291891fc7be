// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore

/// One of several authorization servers whose access tokens an API accepts, with its keys and rules.
///
/// `iss` of a token selects the issuer, and only the keys, algorithms, audience and profile of that issuer apply: a key
/// of one issuer never verifies a token that names another.
///
/// Whoever runs an accepted issuer can issue tokens with any subject, scope and claim. Two issuers may use the same `sub`
/// or `client_id` for different users or apps, so store and compare ``AuthorizedRequest/issuer`` with them.
///
/// ## Specification
///
/// [RFC 8725 §3.8](https://www.rfc-editor.org/rfc/rfc8725#section-3.8),
/// [RFC 9068 §4](https://www.rfc-editor.org/rfc/rfc9068#section-4)
public struct AcceptedIssuer: Sendable {
    /// `iss` of its tokens, compared byte by byte.
    public var issuer: String
    /// The source of its keys.
    public var keys: any JWKSetSource
    /// `aud` of its tokens; `nil`, the default, for ``GuardConfiguration/audience``.
    public var audience: String?
    /// The accepted signing algorithms of its tokens; by default ES256.
    public var tokenAlgorithms: Set<SignatureAlgorithm> = [.es256]
    /// Which of its JWTs are access tokens; by default those of RFC 9068.
    public var tokenProfile = AccessTokenProfile.rfc9068

    /// Describes an issuer.
    ///
    /// - Parameters:
    ///   - issuer: `iss` of its tokens.
    ///   - keys: The source of its keys.
    public init(issuer: String, keys: any JWKSetSource) {
        self.issuer = issuer
        self.keys = keys
    }
}
