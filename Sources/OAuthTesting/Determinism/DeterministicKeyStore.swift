// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import SigningKeys
import Synchronization

/// Keys in memory that are the same in every run: only for tests.
///
/// The keys repeat, but ES256 signatures do not, because each uses a random number from the platform.
public final class DeterministicKeyStore: KeyStore {
    private struct State {
        var keys: [KeyAlias: SoftwareSigningKey] = [:]
        /// A deleted key never comes back.
        var generations: [KeyAlias: Int] = [:]
    }

    private let entropy: DeterministicEntropy
    private let state = Mutex(State())

    /// Makes an empty store.
    ///
    /// - Parameter entropy: The source of the keys.
    public init(_ entropy: DeterministicEntropy) {
        self.entropy = entropy
    }

    /// Opens the key of an alias, or makes one, in one atomic step, and reports which.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: ES256, or Ed25519 under both of its names.
    ///   - report: Told ``/SigningKeys/KeyEvent/Kind/made`` when this call made the key.
    /// - Returns: The key.
    /// - Throws: ``/SigningKeys/KeyStoreError/Code/unsupportedAlgorithm``.
    public func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        let (key, isNew) = try state.withLock { state throws(KeyStoreError) in
            if let key = state.keys[alias] { return (try key.signing(with: algorithm), false) }
            let generation = state.generations[alias, default: 0]
            let key = try Self.key(algorithm, of: entropy.separate("key \(generation) \(alias)"))
            state.keys[alias] = key
            state.generations[alias] = generation + 1
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
        state.withLock { $0.keys[alias] }
    }

    /// The aliases that have a key.
    ///
    /// - Returns: The aliases in ascending order.
    /// - Throws: Nothing.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        state.withLock { $0.keys.keys.sorted() }
    }

    /// Deletes the key of an alias, if it has one.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: Nothing.
    public func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        state.withLock { $0.keys[alias] = nil }
    }

    /// A key from 32 bytes of a source.
    static func key(
        _ algorithm: SignatureAlgorithm,
        of entropy: DeterministicEntropy
    ) throws(KeyStoreError) -> SoftwareSigningKey {
        guard [.es256, .edDSA, .ed25519].contains(algorithm) else {
            throw KeyStoreError(.unsupportedAlgorithm, "keys that repeat are for ES256 and Ed25519")
        }
        // One of 2^32 numbers is not a P-256 scalar; the next one then is.
        for _ in 0..<4 {
            let bytes = entropy.bytes(32)
            if let key = try? SoftwareSigningKey(privateKeyBytes: bytes, algorithm: algorithm, protection: .memory) {
                return key
            }
        }
        throw KeyStoreError(.storageFailed, "the platform did not make a key")
    }
}
