// SPDX-License-Identifier: Apache-2.0

import JOSE
import SigningKeys
import Synchronization

/// A device with keys that can be removed, lose keys, and fail to delete them.
final class RemovableDevice: KeyStore {
    private let keys = MemoryKeyStore()
    /// How many callers must request keys concurrently, and how many do.
    private let crowd = Mutex((wanted: 0, there: 0))
    private let faults = Mutex((isOut: false, keepsAll: false))

    var isOut: Bool {
        get { faults.withLock { $0.isOut } }
        set { faults.withLock { $0.isOut = newValue } }
    }

    var keepsAll: Bool {
        get { faults.withLock { $0.keepsAll } }
        set { faults.withLock { $0.keepsAll = newValue } }
    }

    func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        try requirePresence()
        crowd.withLock { $0.there += 1 }
        while crowd.withLock({ $0.there < $0.wanted }) { await Task.yield() }
        let key = try await keys.loadOrGenerate(alias: alias, algorithm: algorithm, reporting: report)
        return Key(key: key, alias: alias, device: self)
    }

    func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        try requirePresence()
        return try await keys.load(alias).map { Key(key: $0, alias: alias, device: self) }
    }

    func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try requirePresence()
        return try await keys.aliases()
    }

    func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try requirePresence()
        if keepsAll { throw KeyStoreError(.deviceFailed, "the device deletes nothing") }
        try await keys.delete(alias)
    }

    /// From now on, delays new keys until that many callers request one.
    func waitForCrowd(of count: Int) {
        crowd.withLock { $0 = (count, 0) }
    }

    private func requirePresence() throws(KeyStoreError) {
        if isOut { throw KeyStoreError(.deviceUnavailable, "the device is out") }
    }

    private struct Key: SigningKey {
        let key: any SigningKey
        let alias: KeyAlias
        let device: RemovableDevice

        var publicKey: JWK { key.publicKey }
        var algorithm: SignatureAlgorithm { key.algorithm }
        var protection: KeyProtection { .hardwareBound }

        func sign(_ message: [UInt8]) async throws -> [UInt8] {
            guard try await device.load(alias) != nil else { throw KeyStoreError(.keyLost, "gone") }
            return try await key.sign(message)
        }
    }
}
