// SPDX-License-Identifier: Apache-2.0

package import JOSE
package import SigningKeys
import Synchronization

/// A store that fails on demand, and whose keys report a protection on demand.
package final class FaultyKeyStore: KeyStore {
    /// An operation of a store.
    package enum Step: Sendable, Hashable, CaseIterable {
        case generate
        case load
        case list
        case delete
        case sign
    }

    private struct State {
        var faults: [Step: KeyStoreError.Code] = [:]
        var forbidsFallback = false
        var endsWithDeletion = false
        var generated = 0
    }

    private let store: any KeyStore
    private let protection: KeyProtection?
    private let state = Mutex(State())

    /// Wraps a store.
    ///
    /// - Parameters:
    ///   - store: The wrapped store.
    ///   - protection: The protection that the keys report; `nil` for the real one.
    package init(_ store: any KeyStore = MemoryKeyStore(), claiming protection: KeyProtection? = nil) {
        self.store = store
        self.protection = protection
    }

    /// Makes some steps fail from now on; all others work.
    ///
    /// - Parameters:
    ///   - steps: The steps.
    ///   - code: The error; `nil` for none.
    ///   - forbidsFallback: Whether the error says that no other store may make the key.
    package func fail(
        _ steps: Set<Step> = Set(Step.allCases),
        with code: KeyStoreError.Code?,
        forbidsFallback: Bool = false
    ) {
        state.withLock { state in
            state.endsWithDeletion = false
            state.forbidsFallback = forbidsFallback
            state.faults = code.map { code in Dictionary(uniqueKeysWithValues: steps.map { ($0, code) }) } ?? [:]
        }
    }

    /// Makes some steps fail until a key is deleted.
    ///
    /// - Parameters:
    ///   - steps: The steps.
    ///   - code: The error.
    package func fail(untilDeleted steps: Set<Step>, with code: KeyStoreError.Code) {
        fail(steps, with: code)
        state.withLock { $0.endsWithDeletion = true }
    }

    /// How often a call that may make a key was made.
    package var generatedCount: Int { state.withLock { $0.generated } }

    package func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        state.withLock { $0.generated += 1 }
        try stumble(.generate)
        return claiming(try await store.loadOrGenerate(alias: alias, algorithm: algorithm, reporting: report))
    }

    package func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        try stumble(.load)
        return try await store.load(alias).map(claiming)
    }

    package func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try stumble(.list)
        return try await store.aliases()
    }

    package func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try stumble(.delete)
        try await store.delete(alias)
        if state.withLock({ $0.endsWithDeletion }) { fail(with: nil) }
    }

    private func stumble(_ step: Step) throws(KeyStoreError) {
        let (code, forbidsFallback) = state.withLock { ($0.faults[step], $0.forbidsFallback) }
        guard let code else { return }
        throw KeyStoreError(code, "the test wants this to fail", forbidsFallback: forbidsFallback)
    }

    private func claiming(_ key: any SigningKey) -> any SigningKey {
        FaultyKey(key: key, protection: protection ?? key.protection, store: self)
    }

    /// A key that reports another protection, and fails to sign if its store says so.
    private struct FaultyKey: SigningKey {
        let key: any SigningKey
        let protection: KeyProtection
        let store: FaultyKeyStore

        var publicKey: JWK { key.publicKey }
        var algorithm: SignatureAlgorithm { key.algorithm }

        func sign(_ message: [UInt8]) async throws -> [UInt8] {
            try store.stumble(.sign)
            return try await key.sign(message)
        }
    }
}
