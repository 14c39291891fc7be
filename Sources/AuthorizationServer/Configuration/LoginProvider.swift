// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import JOSE
import ServerStorage

/// An external login provider that authenticates users in place of the pages of this server.
///
/// This server redirects the browser to it with a signed `login_challenge`, and the browser returns with a signed
/// `login_response`. The server makes no requests to the provider itself.
public struct LoginProvider: Sendable {
    /// The URL to redirect the browser to; also the exact `iss` of responses, compared byte by byte.
    public var loginURL: URI
    /// The public keys that verify responses.
    public var keys: JWKSet
    /// The accepted signing algorithms, whatever a response names.
    public var algorithms: Set<SignatureAlgorithm>
    /// The authentication contexts that the provider supports, as `acr` values.
    public var contexts: [String]

    /// Describes a login provider.
    ///
    /// - Parameters:
    ///   - loginURL: The URL to redirect the browser to; https, without fragment.
    ///   - keys: The public keys that verify responses.
    ///   - algorithms: The accepted signing algorithms.
    ///   - contexts: The authentication contexts that the provider supports.
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
            throw .invalid("loginURL", "the login URL must be an https URL without fragment and user information")
        }
        guard !keys.keys.isEmpty, !algorithms.isEmpty else {
            throw .invalid("loginKeys", "a login system has a public key at least")
        }
        guard contexts.allSatisfy(ServerConfiguration.isContextName) else { throw .contextNameRejected("loginACR") }
    }
}
