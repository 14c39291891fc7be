// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import JOSE
import ServerStorage

/// A login system that exists already and decides who somebody is, in place of the pages of this server.
///
/// The browser is sent to it with a signed `login_challenge`, and comes back with a signed `login_response`. This server asks
/// nobody anything by itself.
public struct LoginProvider: Sendable {
    /// Where the browser is sent; also what `iss` of an answer must be, byte by byte.
    public var loginURL: URI
    /// The public keys that answers are signed with.
    public var keys: JWKSet
    /// The algorithms that are accepted, whatever an answer says.
    public var algorithms: Set<SignatureAlgorithm>
    /// The ways to sign in that the system knows, as `acr` names them.
    public var contexts: [String]

    /// Describes a login system.
    ///
    /// - Parameters:
    ///   - loginURL: Where the browser is sent; https, without fragment.
    ///   - keys: The public keys that answers are signed with.
    ///   - algorithms: The algorithms that are accepted.
    ///   - contexts: The ways to sign in that the system knows.
    public init(
        loginURL: URI,
        keys: JWKSet,
        algorithms: Set<SignatureAlgorithm> = [.es256, .edDSA, .ed25519, .ps256],
        contexts: [String] = []
    ) {
        self.loginURL = loginURL
        self.keys = keys
        self.algorithms = algorithms
        self.contexts = contexts
    }

    func validate(allowingLoopback: Bool) throws(AuthorizationServerError) {
        let isLoopback = loginURL.scheme == "http" && loginURL.isLoopbackIPLiteral && allowingLoopback
        guard loginURL.scheme == "https" || isLoopback, loginURL.fragment == nil, loginURL.userinfo == nil else {
            throw AuthorizationServerError(
                .invalidConfiguration,
                "the login URL must be an https URL without fragment and user information"
            )
        }
        guard !keys.keys.isEmpty, !algorithms.isEmpty else {
            throw AuthorizationServerError(.invalidConfiguration, "a login system has a public key at least")
        }
        guard contexts.allSatisfy(ServerConfiguration.isContextName) else { throw .contextNameRejected }
    }
}
