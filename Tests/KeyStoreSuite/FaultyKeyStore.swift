// SPDX-License-Identifier: Apache-2.0

package import JOSE
package import SigningKeys
import Synchronization

/// A store that fails where a test says so, and says of its keys what the test wants.
package final class FaultyKeyStore: KeyStore {
    /// What a store is asked to do.
    package enum Step: Sendable, Hashable, CaseIterable {
        case generate
        case load
        case list
        case delete
        case sign
    }

    private struct State {
        var faults: [Step: KeyStoreError.Code] = [:]
        var endsWithDeletion = false
        var generated = 0
    }

    private let store: any KeyStore
    private let protection: KeyProtection?
    private let state = Mutex(State())

    /// Wraps a store.
    ///
    /// - Parameters:
    ///   - store: What does the work.
    ///   - protection: What the keys are to say of themselves; `nil` for the truth.
    package init(_ store: any KeyStore = MemoryKeyStore(), claiming protection: KeyProtection? = nil) {
        self.store = store
        self.protection = protection
    }

    /// From now on some steps fail, and all others work.
    ///
    /// - Parameters:
    ///   - steps: The steps.
    ///   - code: What they fail with; `nil` for nothing.
    package func fail(_ steps: Set<Step> = Set(Step.allCases), with code: KeyStoreError.Code?) {
        state.withLock { state in
            state.endsWithDeletion = false
            state.faults = code.map { code in Dictionary(uniqueKeysWithValues: steps.map { ($0, code) }) } ?? [:]
        }
    }

    /// From now on some steps fail, until a key is deleted.
    ///
    /// - Parameters:
    ///   - steps: The steps.
    ///   - code: What they fail with.
    package func fail(untilDeleted steps: Set<Step>, with code: KeyStoreError.Code) {
        fail(steps, with: code)
        state.withLock { $0.endsWithDeletion = true }
    }

    /// How often a key was asked for that may be made.
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
        guard let code = state.withLock({ $0.faults[step] }) else { return }
        throw KeyStoreError(code, "the test wants this to fail")
    }

    private func claiming(_ key: any SigningKey) -> any SigningKey {
        FaultyKey(key: key, protection: protection ?? key.protection, store: self)
    }

    /// A key that says something else of its protection, and fails to sign when its store is told to.
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
