// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore

/// The keys that the server signs with, from the address that its metadata names now.
actor ProviderKeys {
    private var current: (uri: URI, keys: JWKSetCache)?

    /// The keys, fetched again when `keyID` is not among them, though not more often than ``JWKSetCache`` allows.
    func keySet(
        at uri: URI,
        forKeyID keyID: String?,
        _ transport: any HTTPTransport,
        _ clock: any WallClock
    ) async throws(OAuthCoreError) -> JWKSet {
        let keys: JWKSetCache
        if let current, current.uri == uri {
            keys = current.keys
        } else {
            keys = JWKSetCache(uri: uri, transport: transport, clock: clock)
            current = (uri, keys)
        }
        return try await keys.keySet(forKeyID: keyID)
    }
}
