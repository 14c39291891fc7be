// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem
public import ServerStorage
public import SigningKeys
import Synchronization

/// The keys that sign tokens, rotated automatically: published, then active, then retired.
///
/// All processes that share a store arrive at the same keys without communicating, since the state of a key follows
/// from stored times. A key is made one ``SigningKeyPolicy/publication`` before it signs, and stays published until the
/// last token that it signed has expired.
public final class SigningKeyRing: Sendable {
    let storage: any SigningKeyStore
    /// Generates and holds the keys.
    let place: any SigningKeyProvider
    /// Encrypts adopted keys.
    let sealer: (any KeyWrapper)?
    /// The signing algorithms: that of access tokens first.
    public let algorithms: [SignatureAlgorithm]
    /// When keys are rotated.
    public let policy: SigningKeyPolicy
    let tokenLifetime: Duration
    let clock: any WallClock
    /// Whether the clock is right, so that keys may be rotated, and deleted when they are no longer needed.
    let mayRotate: @Sendable () async -> Bool
    private let trail: OperatorTrail
    private let adopted: [SoftwareSigningKey]
    /// Opened keys: each is opened once.
    private let opened = Mutex<[String: any SigningKey]>([:])
    /// Why an unneeded key is still in its device.
    let undeleted = Mutex<AuthorizationServerError?>(nil)

    /// Sets up keys that the storage holds whole, encrypted.
    ///
    /// Reads nothing yet.
    ///
    /// - Parameters:
    ///   - storage: Stores the keys.
    ///   - sealer: Encrypts the stored keys.
    ///   - algorithms: The signing algorithms, at least one: that of access tokens, then that of ID tokens.
    ///   - policy: When keys are rotated.
    ///   - lifetimes: The lifetimes of what the keys sign.
    ///   - adopted: Keys from before the ring existed: they become the first if no key of their algorithm is stored.
    ///   - clock: The clock.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidConfiguration``.
    public convenience init(
        storage: any SigningKeyStore,
        sealer: any KeyWrapper,
        algorithms: [SignatureAlgorithm] = [.es256],
        policy: SigningKeyPolicy = SigningKeyPolicy(),
        lifetimes: Lifetimes = Lifetimes(),
        adopting adopted: [SoftwareSigningKey] = [],
        clock: any WallClock = SystemWallClock()
    ) throws(AuthorizationServerError) {
        try self.init(
            storage: storage,
            place: DatabaseSigningKeys(sealer),
            sealer: sealer,
            algorithms: algorithms,
            policy: policy,
            lifetimes: lifetimes,
            adopting: adopted,
            clock: clock
        )
    }

    /// Sets up keys that a provider holds.
    ///
    /// Reads nothing yet.
    ///
    /// - Parameters:
    ///   - storage: Stores how to find the keys.
    ///   - place: Generates and holds the keys.
    ///   - algorithms: The signing algorithms, at least one: that of access tokens, then that of ID tokens.
    ///   - policy: When keys are rotated.
    ///   - lifetimes: The lifetimes of what the keys sign.
    ///   - clock: The clock.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidConfiguration``.
    public convenience init(
        storage: any SigningKeyStore,
        place: any SigningKeyProvider,
        algorithms: [SignatureAlgorithm] = [.es256],
        policy: SigningKeyPolicy = SigningKeyPolicy(),
        lifetimes: Lifetimes = Lifetimes(),
        clock: any WallClock = SystemWallClock()
    ) throws(AuthorizationServerError) {
        try self.init(
            storage: storage,
            place: place,
            sealer: nil,
            algorithms: algorithms,
            policy: policy,
            lifetimes: lifetimes,
            adopting: [],
            clock: clock
        )
    }

    /// Sets up the keys of a server; `adopted` keys are stored whole, encrypted with `sealer`.
    ///
    /// While `mayRotate` returns `false`, keys are neither replaced nor deleted.
    package init(
        storage: any SigningKeyStore,
        place: any SigningKeyProvider,
        sealer: (any KeyWrapper)?,
        algorithms: [SignatureAlgorithm],
        policy: SigningKeyPolicy,
        lifetimes: Lifetimes,
        adopting adopted: [SoftwareSigningKey],
        clock: any WallClock = SystemWallClock(),
        trail: OperatorTrail = OperatorTrail(),
        mayRotate: @escaping @Sendable () async -> Bool = { true }
    ) throws(AuthorizationServerError) {
        guard !algorithms.isEmpty, Set(algorithms).count == algorithms.count else {
            throw AuthorizationServerError(.invalidConfiguration, "tokens are signed with one algorithm or several")
        }
        tokenLifetime = lifetimes.signedTokens
        try policy.validate(tokenLifetime: tokenLifetime)
        self.storage = storage
        self.place = place
        self.sealer = sealer
        self.algorithms = algorithms
        self.policy = policy
        self.clock = clock
        self.mayRotate = mayRotate
        self.trail = trail
        self.adopted = adopted
    }

    /// Makes missing keys, deletes unneeded ones, and opens the rest.
    ///
    /// While keys must not be rotated, it makes a key only if there is none to sign with.
    func refresh() async throws(AuthorizationServerError) -> SigningKeySnapshot {
        let isRotating = await mayRotate()
        var stored = try await keys()
        if try await fillVacancies(among: stored, onlyFirst: !isRotating) { stored = try await keys() }
        let now = clock.now()
        if stored.contains(where: { $0.tokenLifetime < tokenLifetime }) { try await raiseTokenLifetime() }
        let schedules = algorithms.map { SigningKeySchedule(stored, of: $0, policy, at: now) }
        var keys: [[any SigningKey]] = []
        for schedule in schedules { keys.append(try await open(schedule.published)) }
        if isRotating { try await delete(Set(schedules.flatMap(\.removable)), of: stored) }
        forgetAll(except: Set(schedules.flatMap(\.published).map(\.keyID)))
        guard keys.allSatisfy({ !$0.isEmpty }),
            let snapshot = SigningKeySnapshot(keys, maximumAge: policy.maximumAge)
        else { throw AuthorizationServerError(.storageFailed, "a key that was stored is gone: something deletes keys") }
        return snapshot
    }

    /// The current states of the keys of an algorithm.
    ///
    /// - Parameter algorithm: The algorithm.
    /// - Returns: The keys with their states.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``.
    package func schedule(
        of algorithm: SignatureAlgorithm
    ) async throws(AuthorizationServerError)
        -> SigningKeySchedule
    {
        SigningKeySchedule(try await keys(), of: algorithm, policy, at: clock.now())
    }

    /// Every stored key.
    func keys() async throws(AuthorizationServerError) -> [StoredSigningKey] {
        try await stored { try await $0.signingKeys() }
    }

    /// Makes the missing keys, unless another process is first; afterwards they exist in either case.
    ///
    /// - Parameters:
    ///   - stored: The stored keys.
    ///   - onlyFirst: Whether to make only those that have no predecessor.
    /// - Returns: Whether any was missing.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``.
    private func fillVacancies(
        among stored: [StoredSigningKey],
        onlyFirst: Bool
    ) async throws(AuthorizationServerError) -> Bool {
        let now = clock.now()
        var made: [(key: StoredSigningKey, place: SigningKeySchedule.Vacancy)] = []
        for algorithm in algorithms {
            guard let place = SigningKeySchedule(stored, of: algorithm, policy, at: now).vacancy else { continue }
            if onlyFirst, place.predecessor != nil { continue }
            let first = place.predecessor == nil ? adopted.first { $0.algorithm == algorithm } : nil
            let key = if let first { try adopt(first) } else { try await makeKey(algorithm) }
            made.append((key, place))
        }
        // Stored keys count as published, so they are stored only after all are made, which may take a while.
        for (key, place) in made {
            let new = publish(key, activeFrom: place.predecessor == nil ? nil : place.activeFrom)
            if try await self.stored({ try await $0.add(new, after: place.predecessor) }) {
                record(.signingKeyMade, new)
            } else {
                await discard(new)
            }
        }
        return !made.isEmpty
    }

    /// The record of a key that is published from now on, and signs after the publication at the earliest.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - time: When it should become active; `nil` for at once.
    /// - Returns: The record to store.
    func publish(_ key: StoredSigningKey, activeFrom time: Timestamp?) -> StoredSigningKey {
        var key = key
        key.publishedAt = clock.now()
        key.activeFrom = time.map { max($0, key.publishedAt + policy.publication) } ?? key.publishedAt
        return key
    }

    /// Deletes keys, first from their device; the record is kept until the key is gone.
    private func delete(
        _ keyIDs: Set<String>,
        of stored: [StoredSigningKey]
    ) async throws(AuthorizationServerError) {
        var deleted: [String] = []
        for key in stored where keyIDs.contains(key.keyID) {
            do throws(KeyStoreError) {
                try await place.delete(key.wrappedKey)
                deleted.append(key.keyID)
            } catch {
                // The next refresh tries again; signing is not affected.
                undeleted.withLock { $0 = Self.undeletedFailure(error) }
            }
        }
        guard !deleted.isEmpty else { return }
        let gone = deleted
        try await self.stored { try await $0.deleteSigningKeys(gone) }
        for key in stored where gone.contains(key.keyID) {
            record(.signingKeyDeleted, detail: "\(key.algorithm) \(key.keyID)")
        }
    }

    /// Records an event about a key, and how soon it signs.
    func record(_ kind: AuditEvent.Kind, _ key: StoredSigningKey, from time: Timestamp? = nil) {
        let delay = max(.zero, (time ?? key.activeFrom) - clock.now())
        record(kind, detail: "\(key.algorithm) \(key.keyID), signs in \(delay.components.seconds) s")
    }

    func record(_ kind: AuditEvent.Kind, detail: String) {
        trail.record(kind, at: clock.now(), detail: detail)
    }

    /// The configured lifetimes have grown since the keys were made.
    private func raiseTokenLifetime() async throws(AuthorizationServerError) {
        let lifetime = tokenLifetime
        try await stored { try await $0.raiseTokenLifetime(ofSigningKeys: lifetime) }
    }

    /// Opens a key on first use.
    ///
    /// - Parameter stored: The record of the key.
    /// - Returns: The key.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``, with the error of the
    ///   provider.
    @discardableResult
    package func open(_ stored: StoredSigningKey) async throws(AuthorizationServerError) -> any SigningKey {
        if let key = opened.withLock({ $0[stored.keyID] }) { return key }
        do {
            let key = try await place.open(stored.wrappedKey, keyID: stored.keyID)
            // An attacker who can write to the database must not choose the key: only its name is authenticated.
            guard key.keyID == stored.keyID, key.algorithm == stored.algorithm else {
                throw KeyStoreError(.malformedKeyFile, "the stored key is not the one of its identifier")
            }
            opened.withLock { $0[stored.keyID] = key }
            return key
        } catch {
            throw AuthorizationServerError(
                .storageFailed,
                "a key that signs tokens cannot be opened",
                underlying: error
            )
        }
    }

    private func open(_ stored: [StoredSigningKey]) async throws(AuthorizationServerError) -> [any SigningKey] {
        var keys: [any SigningKey] = []
        for key in stored { keys.append(try await open(key)) }
        return keys
    }

    private func forgetAll(except keyIDs: Set<String>) {
        opened.withLock { opened in opened = opened.filter { keyIDs.contains($0.key) } }
    }

    func stored<Value: Sendable>(
        _ operation: (any SigningKeyStore) async throws -> Value
    ) async throws(AuthorizationServerError) -> Value {
        do {
            return try await operation(storage)
        } catch {
            throw AuthorizationServerError(.storageFailed, "the keys cannot be read or written", underlying: error)
        }
    }
}

extension Lifetimes {
    /// How long a signature can matter: an ID token serves as a hint when its session is ended.
    package var signedTokens: Duration { max(accessToken, session) }
}
