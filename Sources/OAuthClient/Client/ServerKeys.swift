// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem

/// The verification keys of the server, fetched on demand and shared by the copies of a client.
actor ServerKeys {
    private var source: (uri: URI, keys: JWKSetCache)?

    /// The cache for a `jwks_uri`.
    ///
    /// A different URI, in newer metadata, starts an empty cache.
    func source(at uri: URI, _ transport: any HTTPTransport, _ clock: any WallClock) -> JWKSetCache {
        if let source, source.uri == uri { return source.keys }
        let keys = JWKSetCache(uri: uri, transport: transport, clock: clock)
        source = (uri, keys)
        return keys
    }
}

extension OAuth2Client {
    /// The verification keys of the server.
    ///
    /// If `kid` is not among the cached keys, they are fetched again.
    func serverKeySet(forKeyID keyID: String?) async throws(OAuthClientError) -> JWKSet {
        let uri = try await urlPolicy.endpoint(currentMetadata().jwksURI, "jwks_uri")
        do {
            return try await serverKeys.source(at: uri, transport, server.clock).keySet(forKeyID: keyID)
        } catch {
            throw OAuthClientError(
                .serverUnavailable,
                "the keys that the server signs with cannot be fetched",
                underlying: error
            )
        }
    }
}
