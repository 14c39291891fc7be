// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import SigningKeys
import Synchronization

/// Key files whose secret is requested only when a key exists or must be created.
final class DeferredKeyStore: KeyStore {
    private let directory: String
    private let makeStore: @Sendable () throws -> any KeyStore
    private let made = Mutex<(any KeyStore)?>(nil)

    init(directory: String, _ makeStore: @escaping @Sendable () throws -> any KeyStore) {
        self.directory = directory
        self.makeStore = makeStore
    }

    func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        try await store().loadOrGenerate(alias: alias, algorithm: algorithm, reporting: report)
    }

    func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        guard try await aliases().contains(alias) else { return nil }
        return try await store().load(alias)
    }

    func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await UnencryptedFileKeyStore(directory: directory).aliases()
    }

    func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await UnencryptedFileKeyStore(directory: directory).delete(alias)
    }

    private func store() throws(KeyStoreError) -> any KeyStore {
        do {
            return try made.withLock { made in
                if let made { return made }
                let store = try makeStore()
                made = store
                return store
            }
        } catch {
            throw error as? KeyStoreError ?? KeyStoreError(.deviceLocked, "the key cannot be opened", underlying: error)
        }
    }
}
#endif
