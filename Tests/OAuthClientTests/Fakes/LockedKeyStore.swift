// SPDX-License-Identifier: Apache-2.0

import JOSE
import SigningKeys
import Synchronization

/// The key store of a device that is locked until a test unlocks it.
final class LockedKeyStore: KeyStore {
    private let keys = MemoryKeyStore()
    private let isLocked = Mutex(true)

    func unlock() {
        isLocked.withLock { $0 = false }
    }

    func lock() {
        isLocked.withLock { $0 = true }
    }

    private func requireUnlocked() throws(KeyStoreError) {
        if isLocked.withLock({ $0 }) { throw KeyStoreError(.deviceLocked, "the device is locked") }
    }

    func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        try requireUnlocked()
        return try await keys.loadOrGenerate(alias: alias, algorithm: algorithm, reporting: report)
    }

    func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        try requireUnlocked()
        return try await keys.load(alias)
    }

    func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await keys.aliases()
    }

    func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try requireUnlocked()
        try await keys.delete(alias)
    }
}
