// SPDX-License-Identifier: Apache-2.0

/// A rule of a profile that a setting of the client, or the server, violates.
///
/// It is ``OAuthClientError/underlying`` of ``OAuthClientError/Code/profileContradicted`` and
/// ``OAuthClientError/Code/serverBelowProfile``.
public struct ProfileViolation: Error, Sendable, Hashable, CustomStringConvertible {
    /// A code for programs that says what is missing.
    ///
    /// A minor version may add codes.
    public struct Requirement: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the requirement, in lower camel case.
        public let rawValue: String

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name of the requirement.
        public var description: String { rawValue }

        /// The client is a public client, without a secret.
        public static let publicClient = Self("publicClient")
        /// The client authenticates with a key or a certificate.
        public static let strongClientAuthentication = Self("strongClientAuthentication")
        /// `aud` of client assertions is the issuer only.
        public static let assertionAudience = Self("assertionAudience")
        /// Signatures use PS256, ES256 or Ed25519.
        public static let signatureAlgorithm = Self("signatureAlgorithm")
        /// Tokens are bound, without a fallback.
        public static let boundTokens = Self("boundTokens")
        /// The redirect URI leads only to this app.
        public static let redirectURI = Self("redirectURI")
        /// Connections are secured with TLS.
        public static let tls = Self("tls")
        /// Redirects of an API are not followed.
        public static let noRedirects = Self("noRedirects")
        /// The server offers pushed authorization requests.
        public static let pushedAuthorizationRequests = Self("pushedAuthorizationRequests")
        /// The metadata names S256.
        public static let s256CodeChallenge = Self("s256CodeChallenge")
        /// The metadata promises `iss` in authorization responses.
        public static let issuerOfResponses = Self("issuerOfResponses")
        /// The metadata promises this client's kind of token binding.
        public static let serverBindsTokens = Self("serverBindsTokens")
        /// The metadata lists this client's authentication method.
        public static let serverAuthenticatesClients = Self("serverAuthenticatesClients")
    }

    /// The profile whose rule is violated.
    public let profile: ClientProfile
    /// What is missing, for programs.
    public let requirement: Requirement
    /// The section of the specification that has the rule.
    public let section: String
    /// What is missing, as a message for people: one sentence without a final full stop.
    public let reason: String

    /// Profile, reason and section.
    public var description: String { "\(profile): \(reason) (\(section))" }
}
