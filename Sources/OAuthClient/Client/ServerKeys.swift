// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem

/// The keys that the server signs with, fetched when they are needed; copies of a client share them.
actor ServerKeys {
    private var source: (uri: URI, keys: JWKSetCache)?

    /// The keys behind an address; another address, in newer metadata, begins anew.
    func source(at uri: URI, _ transport: any HTTPTransport, _ clock: any WallClock) -> JWKSetCache {
        if let source, source.uri == uri { return source.keys }
        let keys = JWKSetCache(uri: uri, transport: transport, clock: clock)
        source = (uri, keys)
        return keys
    }
}

extension OAuth2Client {
    /// The keys of the server among which the one of a signature must be; `kid` of the signature is looked for anew when it
    /// is not known.
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
