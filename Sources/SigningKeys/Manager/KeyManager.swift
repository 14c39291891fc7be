// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// Chooses where a new key lives, and remembers where each one does.
///
/// The choice is made once, when a key is made: hardware that comes or goes later changes nothing about a key that is there.
/// A place is passed over only when it says that there is no such hardware here, that the program is not signed for it, or that it
/// makes no such keys; a device that is locked, a wrong PIN and a person who says no are errors. A key that is
/// recorded and cannot be found is ``KeyStoreError/Code/keyLost``, one whose device is away is
/// ``KeyStoreError/Code/deviceUnavailable``: never is another one made in its place.
///
/// Any number of tasks may use one manager, and any number of processes managers with the same stores and records.
public final class KeyManager: KeyStore {
    /// Where new keys are made.
    public let policy: KeyPolicy
    let hardware: [KeyPlace]
    let software: KeyPlace
    let placements: any KeyPlacementStore
    private let hub = EventHub<KeyEvent>()

    /// Brings stores together.
    ///
    /// - Parameters:
    ///   - policy: Where new keys are made.
    ///   - hardware: The stores of hardware, the best one first.
    ///   - software: The store for where there is none; what it makes counts as hardware only if its keys say so.
    ///   - placements: What remembers where each key lives; it must live as long as the keys.
    public init(
        policy: KeyPolicy = .preferHardware,
        hardware: [KeyPlace],
        software: KeyPlace,
        placements: any KeyPlacementStore
    ) {
        self.policy = policy
        self.hardware = hardware
        self.software = software
        self.placements = placements
    }

    /// What happens to keys from now on: where they are made, what was passed over, what is lost or locked.
    ///
    /// - Returns: A stream that ends with the manager. Who does not read keeps the newest 64 events.
    public func events() -> AsyncStream<KeyEvent> {
        hub.stream()
    }

    /// Opens the key of a name, or makes it: the name that other guides have for this.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: What the key is to sign with.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``.
    public func generateKey(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm = .es256
    ) async throws(KeyStoreError) -> any SigningKey {
        try await loadOrGenerate(alias: alias, algorithm: algorithm)
    }

    /// Opens the key of a name, or makes it where the policy says, in one step over all stores, and tells what was chosen.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: What a new key is to sign with, and what an existing one must sign with.
    ///   - report: Called for each event of this call, which also goes to ``events()``.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/keyLost``, ``KeyStoreError/Code/hardwareRequired``,
    ///   ``KeyStoreError/Code/unsupportedAlgorithm``, and the codes of the stores.
    public func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        let tell: @Sendable (KeyEvent) -> Void = { [hub] event in
            hub.send(event)
            report(event)
        }
        if let place = try await placements.place(of: alias) {
            return try await recordedKey(alias, in: place, tell).signing(with: algorithm)
        }
        return try await placements.withLock { () async throws(KeyStoreError) in
            // Another task or process may have made it while this one waited.
            if let place = try await placements.place(of: alias) {
                return try await recordedKey(alias, in: place, tell).signing(with: algorithm)
            }
            if let found = try await unrecordedKey(alias) {
                try await placements.record(found.place.name, of: alias)
                return try found.key.signing(with: algorithm)
            }
            return try await KeyCreation(manager: self, alias: alias, algorithm: algorithm, report: tell).run()
        }
    }

    /// Opens the key of a name, wherever it lives.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The key; `nil` when nothing is recorded for the name and no store that is there has a key of it.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/keyLost``, ``KeyStoreError/Code/hardwareRequired`` for a key in software,
    ///   and the codes of the stores.
    public func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        if let place = try await placements.place(of: alias) {
            return try await recordedKey(alias, in: place) { [hub] in hub.send($0) }
        }
        return try await unrecordedKey(alias)?.key
    }

    /// The names that have a key.
    ///
    /// - Returns: The names in ascending order: those that are recorded, and those in stores that are there.
    /// - Throws: ``KeyStoreError`` with the codes of the stores.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        var aliases = Set(try await placements.aliases())
        for place in places {
            do throws(KeyStoreError) {
                aliases.formUnion(try await place.store.aliases())
            } catch {
                guard Self.meansNothingHere(error) else { throw error }
            }
        }
        return aliases.sorted()
    }

    /// Removes the key of a name, if it has one, and the record of its place.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/deviceUnavailable`` when the device is away that has the key, which is
    ///   then still recorded: ``forgetUnavailableKey(_:)`` gives it up; and the codes of the stores.
    public func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await placements.withLock { () async throws(KeyStoreError) in
            if let name = try await placements.place(of: alias) {
                try await place(named: name).store.delete(alias)
                return try await placements.forget(alias)
            }
            for place in places {
                do throws(KeyStoreError) {
                    try await place.store.delete(alias)
                } catch {
                    guard Self.meansNothingHere(error) else { throw error }
                }
            }
        }
    }

    /// Forgets where the key of a name lives without deleting it: for a device that does not come back.
    ///
    /// The next key of the name is a new one. If the device does come back, the old key is still on it.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` with the codes of the records.
    public func forgetUnavailableKey(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await placements.withLock { () async throws(KeyStoreError) in try await placements.forget(alias) }
    }

    /// What is known about the key of a name: what its store says, and which store that is.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The facts; `nil` when the name has no key.
    /// - Throws: ``KeyStoreError``, as ``load(_:)``.
    public func facts(about alias: KeyAlias) async throws(KeyStoreError) -> [KeyFact]? {
        let place: KeyPlace
        if let name = try await placements.place(of: alias) {
            place = try self.place(named: name)
        } else {
            guard let found = try await unrecordedKey(alias) else { return nil }
            place = found.place
        }
        guard let facts = try await place.store.facts(about: alias) else { throw Self.lost(alias) }
        return facts + [KeyFact("store", place.name)]
    }

    /// Finds out whether a key could be made in one of the places of the policy.
    ///
    /// - Throws: ``KeyStoreError`` of the last place that cannot.
    public func requireReadiness() async throws(KeyStoreError) {
        var failure = KeyStoreError(.hardwareRequired, "there is no store to make a key in")
        for place in placesForNewKeys {
            do throws(KeyStoreError) {
                return try await place.store.requireReadiness()
            } catch {
                guard Self.meansNothingHere(error) else { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// Whether a new key would be in hardware, where the one of this name is not.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: ``/JOSE/KeyProtection/hardwareBound`` when a store of hardware answers, which may yet fail to make a key.
    /// - Throws: ``KeyStoreError``, as ``load(_:)``.
    public func strongerProtection(for alias: KeyAlias) async throws(KeyStoreError) -> KeyProtection? {
        guard policy != .softwareOnly, let key = try await load(alias), key.protection != .hardwareBound else {
            return nil
        }
        for place in hardware where (try? await place.store.requireReadiness()) != nil { return .hardwareBound }
        return nil
    }
}
