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
        let keys = JWKSetCache(
            uri: uri,
            transport: transport.reporting(RequestAttempt(.keys)),
            clock: clock,
            // Unlike a guard behind a proxy, a client can wait; its transport has a timeout of its own.
            maximumWait: .seconds(60),
            attemptsAtOnce: 3
        )
        source = (uri, keys)
        return keys
    }
}

extension OAuth2Client {
    /// The verification keys of the server.
    ///
    /// If `kid` is not among the cached keys, they are fetched again.
    ///
    /// - Parameters:
    ///   - keyID: `kid` of the token.
    ///   - attempts: How often to ask for keys that cannot be fetched, with a second and two between.
    /// - Returns: The keys.
    /// - Throws: ``OAuthClientError/Code/serverUnavailable`` if they cannot be fetched.
    func serverKeySet(forKeyID keyID: String?, attempts: Int = 2) async throws(OAuthClientError) -> JWKSet {
        let uri = try await urlPolicy.endpoint(currentMetadata().jwksURI, "jwks_uri")
        let source = await context.keys.source(at: uri, transport, server.clock)
        var left = attempts
        var pause = Duration.seconds(1)
        while true {
            left -= 1
            do throws(OAuthCoreError) {
                return try await source.keySet(forKeyID: keyID)
            } catch {
                guard left > 0 else {
                    throw OAuthClientError(
                        .serverUnavailable,
                        "the keys that the server signs with cannot be fetched",
                        underlying: error
                    )
                }
            }
            try await repeater.sleep(pause)
            pause *= 2
        }
    }
}
