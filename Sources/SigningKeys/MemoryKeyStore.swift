// SPDX-License-Identifier: Apache-2.0

public import JOSE
import Synchronization

/// Keys in the memory of this process, which end with it.
///
/// For tests, and for clients that sign in again each time.
public final class MemoryKeyStore: KeyStore {
    private let keys = Mutex<[KeyAlias: SoftwareSigningKey]>([:])

    /// Makes an empty store.
    public init() {}

    /// Opens the key of an alias, or makes one, in one atomic step, and reports which.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: ES256.
    ///   - report: Called with ``KeyEvent/Kind/made`` if this call made the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/unsupportedAlgorithm``.
    public func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        let (key, isNew) = try keys.withLock { keys throws(KeyStoreError) in
            if let key = keys[alias] { return (try key.signing(with: algorithm), false) }
            let key = try SoftwareSigningKey.generate(algorithm)
            keys[alias] = key
            return (key, true)
        }
        if isNew { report(.made(key, alias)) }
        return key
    }

    /// Opens the key of an alias.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The key; `nil` if the alias has none.
    /// - Throws: Nothing.
    public func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        keys.withLock { $0[alias] }
    }

    /// The aliases that have a key.
    ///
    /// - Returns: The aliases in ascending order.
    /// - Throws: Nothing.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        keys.withLock { $0.keys.sorted() }
    }

    /// Deletes the key of an alias, if it has one.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: Nothing.
    public func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        keys.withLock { $0[alias] = nil }
    }
}
