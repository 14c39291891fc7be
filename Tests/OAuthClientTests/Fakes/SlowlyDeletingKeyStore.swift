// SPDX-License-Identifier: Apache-2.0

import JOSE
import SigningKeys

/// A key store that deletes nothing until a test allows it, and then deletes nothing for a cancelled task.
struct SlowlyDeletingKeyStore: KeyStore {
    let deletion = Gate()
    private let keys = MemoryKeyStore()

    func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        try await keys.loadOrGenerate(alias: alias, algorithm: algorithm, reporting: report)
    }

    func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        try await keys.load(alias)
    }

    func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await keys.aliases()
    }

    func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        await deletion.pass()
        if Task.isCancelled { throw KeyStoreError(.storageFailed, "the task was cancelled") }
        try await keys.delete(alias)
    }
}
