// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import ServerStorage

/// The keys that were fetched for a request, and the `jwks_uri` that they are from.
struct FetchedClientKeys: Sendable {
    let uri: String
    let keys: JWKSet
}

extension RegisteredClient {
    /// The keys that the client signs with: those that are registered, or those at its `jwks_uri`.
    ///
    /// - Parameter fetched: What was fetched for the request.
    /// - Returns: The keys; none if others were fetched.
    func keys(fetched: FetchedClientKeys?) -> JWKSet {
        // A program of the previous version may have stored keys, and left the address.
        guard let jwksURI, jwks.keys.isEmpty else { return jwks }
        // The document may have changed since they were fetched.
        guard let fetched, fetched.uri.isIdentical(to: jwksURI) else { return JWKSet([]) }
        return fetched.keys
    }
}
