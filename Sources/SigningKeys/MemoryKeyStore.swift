// SPDX-License-Identifier: Apache-2.0

public import JOSE
import Synchronization

/// Keys in the memory of this process: gone when it ends.
///
/// For tests, and for clients that sign in anew each time.
public final class MemoryKeyStore: KeyStore {
    private let keys = Mutex<[KeyAlias: SoftwareSigningKey]>([:])

    /// Makes an empty store.
    public init() {}

    /// Opens the key of a name, or makes it, in one step.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: ES256.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/unsupportedAlgorithm``.
    public func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm
    ) async throws(KeyStoreError) -> any SigningKey {
        try keys.withLock { keys throws(KeyStoreError) in
            if let key = keys[alias] { return try key.signing(with: algorithm) }
            let key = try SoftwareSigningKey.generate(algorithm)
            keys[alias] = key
            return key
        }
    }

    /// Opens the key of a name.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The key; `nil` when the name has none.
    /// - Throws: Nothing.
    public func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        keys.withLock { $0[alias] }
    }

    /// The names that have a key.
    ///
    /// - Returns: The names in ascending order.
    /// - Throws: Nothing.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        keys.withLock { $0.keys.sorted() }
    }

    /// Removes the key of a name, if it has one.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: Nothing.
    public func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        keys.withLock { $0[alias] = nil }
    }
}
