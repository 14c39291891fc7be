// SPDX-License-Identifier: Apache-2.0

package import JOSE
package import SigningKeys
import Synchronization
import Testing

/// The required behavior of every store, run against each of them.
package struct KeyStoreBehaviour {
    /// The algorithms of software key stores in addition to ES256.
    package static let softwareAlgorithms: [SignatureAlgorithm] = [.es384, .es512, .ed25519, .edDSA]

    private let makeSecondStore: (@Sendable () throws -> any KeyStore)?
    private let store: any KeyStore
    private let protection: KeyProtection
    private let algorithms: [SignatureAlgorithm]
    private let deletedKeysSign: Bool

    /// Prepares the suite for a store that has no keys.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - protection: The protection that its keys report.
    ///   - algorithms: Its algorithms in addition to ES256; each is tried once.
    ///   - deletedKeysSign: Whether open keys still sign after they were deleted; keys in a device cannot.
    ///   - makeSecondStore: Another store with the same keys, as another process would open it; `nil` if it cannot be
    ///     shared.
    package init(
        _ store: any KeyStore,
        protection: KeyProtection,
        algorithms: [SignatureAlgorithm] = Self.softwareAlgorithms,
        deletedKeysSign: Bool = true,
        makeSecondStore: (@Sendable () throws -> any KeyStore)? = nil
    ) {
        self.store = store
        self.protection = protection
        self.algorithms = algorithms
        self.deletedKeysSign = deletedKeysSign
        self.makeSecondStore = makeSecondStore
    }

    /// Runs the suite; the store has no keys at the end.
    package func check() async throws {
        try await checkOneKey()
        try await checkSeveralKeys()
        try await checkManyTasks()
        try await checkAlgorithms()
        try await checkFacts()
        for algorithm in algorithms { try await checkKey(of: algorithm) }
    }

    private func checkKey(of algorithm: SignatureAlgorithm) async throws {
        let alias = try KeyAlias("one")
        let key = try await store.loadOrGenerate(alias: alias, algorithm: algorithm)
        let loaded = try #require(try await store.load(alias))
        #expect(loaded.publicKey == key.publicKey)
        #expect(loaded.algorithm == algorithm)
        let message = Array("message".utf8)
        #expect(key.publicKey.isValidSignature(try await loaded.sign(message), for: message, algorithm: algorithm))
        try await store.delete(alias)
    }

    private func checkFacts() async throws {
        let alias = try KeyAlias("facts")
        #expect(try await store.facts(about: alias) == nil)
        let key = try await store.loadOrGenerate(alias: alias)
        let facts = try #require(try await store.facts(about: alias))
        #expect(Array(facts.prefix(3)) == KeyFact.common(key))
        #expect(Set(facts.map(\.name)).count == facts.count)
        try await store.delete(alias)
    }

    private func checkOneKey() async throws {
        let alias = try KeyAlias("one")
        #expect(try await store.load(alias) == nil)
        let key = try await store.loadOrGenerate(alias: alias)
        #expect(key.algorithm == .es256)
        #expect(key.protection == protection)
        let loaded = try #require(try await store.load(alias))
        #expect(loaded.publicKey == key.publicKey)
        #expect(loaded.protection == protection)
        #expect(try await store.loadOrGenerate(alias: alias).publicKey == key.publicKey)
        let message = Array("message".utf8)
        #expect(key.publicKey.isValidSignature(try await loaded.sign(message), for: message, algorithm: key.algorithm))
        if let makeSecondStore {
            #expect(try await makeSecondStore().load(alias)?.publicKey == key.publicKey)
        }
        try await store.delete(alias)
        #expect(try await store.load(alias) == nil)
        #expect(try await store.loadOrGenerate(alias: alias).publicKey != key.publicKey)
        if deletedKeysSign {
            let signature = try await loaded.sign(message)
            #expect(key.publicKey.isValidSignature(signature, for: message, algorithm: key.algorithm))
        } else {
            await #expect { try await loaded.sign(message) } throws: { ($0 as? KeyStoreError)?.code == .keyLost }
        }
        try await store.delete(alias)
        try await store.delete(alias)
    }

    private func checkSeveralKeys() async throws {
        #expect(try await store.aliases() == [])
        let aliases = try ["b", "a", "c.d"].map { try KeyAlias($0) }
        var thumbprints: Set<JWKThumbprint> = []
        for alias in aliases { try await thumbprints.insert(store.loadOrGenerate(alias: alias).publicKey.thumbprint) }
        #expect(thumbprints.count == 3)
        #expect(try await store.aliases().map(\.text) == ["a", "b", "c.d"])
        try await store.delete(aliases[1])
        #expect(try await store.aliases().map(\.text) == ["b", "c.d"])
        for alias in aliases { try await store.delete(alias) }
        #expect(try await store.aliases() == [])
    }

    private func checkManyTasks() async throws {
        let alias = try KeyAlias("shared")
        let stores = try [store, makeSecondStore?(), makeSecondStore?()].compactMap { $0 }
        let counter = CreationCounter()
        let thumbprints = try await withThrowingTaskGroup(of: JWKThumbprint.self) { group in
            for task in 0..<64 {
                group.addTask {
                    try await stores[task % stores.count].loadOrGenerate(alias: alias, algorithm: .es256) { event in
                        if event.kind == .made, event.alias == alias { counter.increase() }
                    }
                    .publicKey.thumbprint
                }
            }
            var thumbprints: Set<JWKThumbprint> = []
            for try await thumbprint in group { thumbprints.insert(thumbprint) }
            return thumbprints
        }
        #expect(thumbprints.count == 1)
        // Only the call that made it was notified.
        #expect(counter.count == 1)
        #expect(try await store.load(alias)?.publicKey.thumbprint == thumbprints.first)
        try await store.delete(alias)
    }

    private func checkAlgorithms() async throws {
        let alias = try KeyAlias("algorithm")
        let other = SignatureAlgorithm(rawValue: "ES999")
        await #expect { try await store.loadOrGenerate(alias: alias, algorithm: other) } throws: {
            ($0 as? KeyStoreError)?.code == .unsupportedAlgorithm
        }
        #expect(try await store.load(alias) == nil)
        let key = try await store.loadOrGenerate(alias: alias)
        await #expect { try await store.loadOrGenerate(alias: alias, algorithm: other) } throws: {
            ($0 as? KeyStoreError)?.code == .unsupportedAlgorithm
        }
        #expect(try await store.load(alias)?.publicKey == key.publicKey)
        try await store.delete(alias)
    }
}

/// How many calls were notified that they made a key.
private final class CreationCounter: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .acquiring) }

    func increase() {
        number.add(1, ordering: .acquiringAndReleasing)
    }
}
