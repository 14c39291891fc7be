// SPDX-License-Identifier: Apache-2.0

import JOSE
import SigningKeys

/// A key store that has no keys and makes none.
struct KeylessStore: KeyStore {
    /// The error when it should make a key.
    var code = KeyStoreError.Code.unsupportedAlgorithm
    /// The error when it should load a key.
    var loadError: KeyStoreError.Code?
    /// Whether its device may work later.
    var forbidsFallback = false

    func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        throw KeyStoreError(code, "no key can be made here", forbidsFallback: forbidsFallback)
    }

    func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        if let loadError { throw KeyStoreError(loadError, "the key cannot be read") }
        return nil
    }

    func aliases() async throws(KeyStoreError) -> [KeyAlias] { [] }

    func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        throw KeyStoreError(code, "there are no keys here")
    }
}
