// SPDX-License-Identifier: Apache-2.0

/// A rule of a profile that a setting of the client, or the server, does not keep; it is ``OAuthClientError/underlying`` of
/// ``OAuthClientError/Code/profileContradicted`` and ``OAuthClientError/Code/serverBelowProfile``.
public struct ProfileViolation: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is missing, for programs; new ones may be added in a minor version.
    public struct Requirement: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the requirement, in lower camel case.
        public let rawValue: String

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name of the requirement.
        public var description: String { rawValue }

        /// The client has nothing secret, and says so.
        public static let publicClient = Self("publicClient")
        /// The client shows who it is with a key or a certificate.
        public static let strongClientAuthentication = Self("strongClientAuthentication")
        /// `aud` of client assertions is the issuer, and nothing else.
        public static let assertionAudience = Self("assertionAudience")
        /// Signatures are made with PS256, ES256 or Ed25519.
        public static let signatureAlgorithm = Self("signatureAlgorithm")
        /// Tokens are bound, without a fallback.
        public static let boundTokens = Self("boundTokens")
        /// The redirect URI is one that leads to this app alone.
        public static let redirectURI = Self("redirectURI")
        /// Connections are secured with TLS.
        public static let tls = Self("tls")
        /// Redirects of an API are not followed.
        public static let noRedirects = Self("noRedirects")
        /// The server offers pushed authorization requests.
        public static let pushedAuthorizationRequests = Self("pushedAuthorizationRequests")
        /// The metadata names S256.
        public static let s256CodeChallenge = Self("s256CodeChallenge")
        /// The metadata says that answers name their issuer.
        public static let issuerOfResponses = Self("issuerOfResponses")
        /// The metadata says that tokens can be bound in the way of this client.
        public static let serverBindsTokens = Self("serverBindsTokens")
        /// The metadata names the way in which this client authenticates itself.
        public static let serverAuthenticatesClients = Self("serverAuthenticatesClients")
    }

    /// The profile.
    public let profile: ClientProfile
    /// What is missing, for programs.
    public let requirement: Requirement
    /// Where that is demanded.
    public let section: String
    /// What is missing, for people: one sentence without a final full stop.
    public let reason: String

    /// Profile, reason and section.
    public var description: String { "\(profile): \(reason) (\(section))" }
}
