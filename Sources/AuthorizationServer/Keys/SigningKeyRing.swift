// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem
public import ServerStorage
public import SigningKeys
import Synchronization

/// The keys that sign tokens, which replace each other by themselves: published, then in use, then retired.
///
/// All processes with one store come to the same keys, without talking to each other: what a key is used for follows from
/// stored times. A key is made one ``SigningKeyPolicy/publication`` before it signs, and stays published until the last
/// token that it signed has expired.
public final class SigningKeyRing: Sendable {
    let storage: any SigningKeyStore
    /// Where keys are made and live.
    let place: any SigningKeyProvider
    /// What adopted keys are encrypted with.
    let sealer: (any KeyWrapper)?
    /// What is signed with: the algorithm of access tokens first.
    public let algorithms: [SignatureAlgorithm]
    /// When keys are replaced.
    public let policy: SigningKeyPolicy
    let tokenLifetime: Duration
    let clock: any WallClock
    private let adopted: [SoftwareSigningKey]
    /// Opened keys: each is opened once.
    private let opened = Mutex<[String: any SigningKey]>([:])
    /// Why a key that nobody needs is still in its device.
    let undeleted = Mutex<AuthorizationServerError?>(nil)

    /// Sets up the keys of a server, which are in its storage as a whole; nothing is read yet.
    ///
    /// - Parameters:
    ///   - storage: Where they are kept.
    ///   - sealer: What they are encrypted with there.
    ///   - algorithms: What is signed with, one at least: the algorithm of access tokens, then that of id_tokens.
    ///   - policy: When keys are replaced.
    ///   - lifetimes: How long what the keys sign is valid.
    ///   - adopted: Keys from before there was a ring: when no key of their algorithm is stored, they are the first.
    ///   - clock: The time.
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

    /// Sets up the keys of a server, which live in some place; nothing is read yet.
    ///
    /// - Parameters:
    ///   - storage: Where what leads to them is kept.
    ///   - place: Where they are made and live.
    ///   - algorithms: What is signed with, one at least: the algorithm of access tokens, then that of id_tokens.
    ///   - policy: When keys are replaced.
    ///   - lifetimes: How long what the keys sign is valid.
    ///   - clock: The time.
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

    /// Sets up the keys of a server; those that are `adopted` are stored whole, sealed with `sealer`.
    package init(
        storage: any SigningKeyStore,
        place: any SigningKeyProvider,
        sealer: (any KeyWrapper)?,
        algorithms: [SignatureAlgorithm],
        policy: SigningKeyPolicy,
        lifetimes: Lifetimes,
        adopting adopted: [SoftwareSigningKey],
        clock: any WallClock = SystemWallClock()
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
        self.adopted = adopted
    }

    /// Makes what is missing, deletes what nobody needs, and opens the rest.
    func refresh() async throws(AuthorizationServerError) -> SigningKeySnapshot {
        var stored = try await keys()
        if try await fillVacancies(among: stored) { stored = try await keys() }
        let now = clock.now()
        if stored.contains(where: { $0.tokenLifetime < tokenLifetime }) { try await raiseTokenLifetime() }
        let schedules = algorithms.map { SigningKeySchedule(stored, of: $0, policy, at: now) }
        var keys: [[any SigningKey]] = []
        for schedule in schedules { keys.append(try await open(schedule.published)) }
        try await delete(Set(schedules.flatMap(\.removable)), of: stored)
        forgetAll(except: Set(schedules.flatMap(\.published).map(\.keyID)))
        guard keys.allSatisfy({ !$0.isEmpty }),
            let snapshot = SigningKeySnapshot(keys, maximumAge: policy.maximumAge)
        else { throw AuthorizationServerError(.storageFailed, "a key that was stored is gone: something deletes keys") }
        return snapshot
    }

    /// What the keys of an algorithm are used for now.
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

    /// Makes the keys that are missing, unless another process is first; either way they are there then.
    ///
    /// - Returns: Whether any was missing.
    private func fillVacancies(among stored: [StoredSigningKey]) async throws(AuthorizationServerError) -> Bool {
        let now = clock.now()
        var made: [(key: StoredSigningKey, place: SigningKeySchedule.Vacancy)] = []
        for algorithm in algorithms {
            guard let place = SigningKeySchedule(stored, of: algorithm, policy, at: now).vacancy else { continue }
            let first = place.predecessor == nil ? adopted.first { $0.algorithm == algorithm } : nil
            let key = if let first { try adopt(first) } else { try await makeKey(algorithm) }
            made.append((key, place))
        }
        // What is stored counts as published: so only once all are made, which may have taken a while.
        for (key, place) in made {
            let new = publish(key, activeFrom: place.predecessor == nil ? nil : place.activeFrom)
            if try await !self.stored({ try await $0.add(new, after: place.predecessor) }) { await discard(new) }
        }
        return !made.isEmpty
    }

    /// The record of a key that is published from now on, and signs after the publication at the earliest.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - time: When it is to sign; `nil` for at once.
    /// - Returns: The record to store.
    func publish(_ key: StoredSigningKey, activeFrom time: Timestamp?) -> StoredSigningKey {
        var key = key
        key.publishedAt = clock.now()
        key.activeFrom = time.map { max($0, key.publishedAt + policy.publication) } ?? key.publishedAt
        return key
    }

    /// Deletes keys, from their device first: what leads there is kept until they are gone.
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
                // It is tried again at the next look; what signs goes on.
                undeleted.withLock { $0 = Self.undeletedFailure(error) }
            }
        }
        guard !deleted.isEmpty else { return }
        let gone = deleted
        try await self.stored { try await $0.deleteSigningKeys(gone) }
    }

    /// The lifetimes of the configuration have grown since the keys were made.
    private func raiseTokenLifetime() async throws(AuthorizationServerError) {
        let lifetime = tokenLifetime
        try await stored { try await $0.raiseTokenLifetime(ofSigningKeys: lifetime) }
    }

    /// Opens a key, the first time it is asked for.
    ///
    /// - Parameter stored: What is stored of it.
    /// - Returns: The key.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``, with what its place said.
    @discardableResult
    package func open(_ stored: StoredSigningKey) async throws(AuthorizationServerError) -> any SigningKey {
        if let key = opened.withLock({ $0[stored.keyID] }) { return key }
        do {
            let key = try await place.open(stored.wrappedKey, keyID: stored.keyID)
            // The name is authenticated, the key behind it is not by that: who can write the database must not choose it.
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
    /// How long the signature of a token can matter: an id_token names its session when that is ended.
    package var signedTokens: Duration { max(accessToken, session) }
}
