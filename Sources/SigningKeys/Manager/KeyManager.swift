// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// Chooses the location of a new key, and records it.
///
/// The choice is made once, when a key is made: hardware that is added or removed later does not change an existing
/// key. A location is skipped only if it reports that this hardware does not exist, that the program may not use it, or
/// that it cannot make such keys. A locked, busy or broken device, several devices that fit
/// (``KeyStoreError/forbidsFallback``), a wrong PIN and a user who declines are errors. A recorded
/// key that cannot be found is ``KeyStoreError/Code/keyLost``, and a key whose device is disconnected is
/// ``KeyStoreError/Code/deviceUnavailable``; the manager never makes a replacement.
///
/// Any number of tasks may share a manager, and any number of processes may have managers with the same stores and
/// records.
public final class KeyManager: KeyStore {
    /// Where new keys are made.
    public let policy: KeyPolicy
    let hardware: [KeyLocation]
    let software: KeyLocation
    let placements: any KeyLocationStore
    private let hub = EventBroadcaster<KeyEvent>()

    /// Combines stores.
    ///
    /// - Parameters:
    ///   - policy: Where new keys are made.
    ///   - hardware: The hardware stores, the best one first.
    ///   - software: The store to use without hardware; its keys count as hardware keys only if they report so.
    ///   - placements: Stores the location of each key; it must live as long as the keys.
    public init(
        policy: KeyPolicy = .preferHardware,
        hardware: [KeyLocation],
        software: KeyLocation,
        placements: any KeyLocationStore
    ) {
        self.policy = policy
        self.hardware = hardware
        self.software = software
        self.placements = placements
    }

    /// The events of keys from now on: where they are made, what was skipped, what is lost or locked.
    ///
    /// - Returns: A stream that ends with the manager. A slow reader keeps the newest 64 events.
    public func events() -> AsyncStream<KeyEvent> {
        hub.stream()
    }

    /// Opens the key of an alias, or makes one; the name that other guides use for this.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: The algorithm of the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``.
    public func generateKey(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm = .es256
    ) async throws(KeyStoreError) -> any SigningKey {
        try await loadOrGenerate(alias: alias, algorithm: algorithm)
    }

    /// Opens the key of an alias, or makes one according to the policy, in one atomic step over all stores.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: The algorithm of a new key; an existing key must have the same one.
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

    /// Opens the key of an alias, in any location.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The key; `nil` if no location is recorded and no available store has the key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/keyLost``, ``KeyStoreError/Code/hardwareRequired`` for a
    ///   software key, and the codes of the stores.
    public func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        if let place = try await placements.place(of: alias) {
            return try await recordedKey(alias, in: place) { [hub] in hub.send($0) }
        }
        return try await unrecordedKey(alias)?.key
    }

    /// The aliases that have a key.
    ///
    /// - Returns: The aliases in ascending order: those that are recorded, and those in available stores.
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

    /// Deletes the key of an alias, if it has one, and its recorded location.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/deviceUnavailable`` if the device with the key is
    ///   disconnected. The key is then still recorded; ``forgetUnavailableKey(_:)`` gives it up. And the codes of the
    ///   stores.
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

    /// Deletes the recorded location of an alias without deleting the key: for a device that will not come back.
    ///
    /// The next key of the alias is a new one. If the device does come back, it still has the old key.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` with the codes of the records.
    public func forgetUnavailableKey(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await placements.withLock { () async throws(KeyStoreError) in try await placements.forget(alias) }
    }

    /// The known facts about the key of an alias, from its store, and the name of the store.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The facts; `nil` if the alias has no key.
    /// - Throws: ``KeyStoreError``, as ``load(_:)``.
    public func facts(about alias: KeyAlias) async throws(KeyStoreError) -> [KeyFact]? {
        let place: KeyLocation
        if let name = try await placements.place(of: alias) {
            place = try self.place(named: name)
        } else {
            guard let found = try await unrecordedKey(alias) else { return nil }
            place = found.place
        }
        guard let facts = try await place.store.facts(about: alias) else { throw Self.lost(alias) }
        return facts + [KeyFact("store", place.name)]
    }

    /// Checks whether a key could be made in one of the locations of the policy.
    ///
    /// - Throws: ``KeyStoreError`` of the last location that cannot.
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

    /// Whether a new key would be in hardware, while the existing one is not.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: ``/JOSE/KeyProtection/hardwareBound`` if a hardware store responds, which may still fail to make a
    ///   key.
    /// - Throws: ``KeyStoreError``, as ``load(_:)``.
    public func strongerProtection(for alias: KeyAlias) async throws(KeyStoreError) -> KeyProtection? {
        guard policy != .softwareOnly, let key = try await load(alias), key.protection != .hardwareBound else {
            return nil
        }
        for place in hardware where (try? await place.store.requireReadiness()) != nil { return .hardwareBound }
        return nil
    }
}
