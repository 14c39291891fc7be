// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import DPoP
public import OAuthSystem

/// Used proofs in Redis, which several gateways or APIs share: a proof that one of them accepted is rejected by all.
///
/// Redis may lose its data at any time: it restarts, is flushed, or another server is promoted. So proofs must have a
/// nonce (``/DPoP/DPoPNoncePolicy/required``), nonces are made for one epoch of Redis (``/DPoP/ReplayEpoch``), and a
/// proof is accepted only if Redis is still in that epoch after the proof was recorded. All processes need the same
/// nonce secret.
///
/// Nothing is accepted while Redis cannot be reached, and Redis must never evict (`maxmemory-policy noeviction`).
///
/// ## Specification
///
/// [RFC 9449 §11.1](https://www.rfc-editor.org/rfc/rfc9449#section-11.1)
public final class RedisReplayStore: ReplayStore {
    private let line: RedisLine
    private let clock: any WallClock
    private let entropy: any Entropy

    /// Makes a store, which connects at its first use.
    ///
    /// - Parameters:
    ///   - configuration: How Redis is reached.
    ///   - clock: The wall clock.
    ///   - entropy: The source of random values.
    public init(
        _ configuration: RedisReplayConfiguration,
        clock: any WallClock = SystemWallClock(),
        entropy: any Entropy = SystemEntropy()
    ) {
        self.clock = clock
        self.entropy = entropy
        line = RedisLine(configuration, entropy: entropy)
    }

    deinit { line.close() }

    /// Looks at Redis: whether it answers and is set up as it must be, and which memory it has.
    ///
    /// - Returns: The memory, remembered since now; make nonces for it with ``/DPoP/DPoPNonceIssuer/start(_:)``.
    /// - Throws: ``RedisReplayError``: ``RedisReplayError/Code/unavailable``, ``RedisReplayError/Code/misconfigured``,
    ///   ``RedisReplayError/Code/closed``.
    public func epoch() async throws(RedisReplayError) -> ReplayEpoch {
        ReplayEpoch(bytes: try await line.perform(.check).epoch, since: clock.now())
    }

    /// Records a proof in one step of Redis (`SET NX`): of any number of callers exactly one gets
    /// ``/DPoP/ReplayInsertion/inserted``.
    ///
    /// - Parameters:
    ///   - key: The replay key of the proof.
    ///   - end: The time until which the key must be stored.
    ///   - now: The current time.
    ///   - epoch: The memory that the nonce of the proof was made for. Without one, nothing says whether Redis has forgotten the
    ///     proof, and it is rejected.
    /// - Returns: Whether the proof was new; ``/DPoP/ReplayInsertion/otherEpoch(_:)`` if Redis has another memory now.
    /// - Throws: ``RedisReplayError``, as ``epoch()``; whether the proof is recorded is unknown then.
    public func insert(
        _ key: ReplayKey,
        until end: Timestamp,
        now: Timestamp,
        in epoch: ReplayEpoch?
    ) async throws -> ReplayInsertion {
        let record = RedisRecord(key, lifetime: end - now, attempt: entropy.bytes(RedisRecord.attemptSize))
        let answer = try await line.perform(.record(record))
        // Whatever became of the proof: in another memory it may have been accepted before.
        guard let epoch, epoch.bytes == answer.epoch else {
            return .otherEpoch(ReplayEpoch(bytes: answer.epoch, since: clock.now()))
        }
        return answer.insertion
    }

    /// Whether Redis did not answer the last time, or must be set up otherwise.
    public var isAway: Bool { line.isAway }

    /// Signs in with other credentials from the next connection on, for example after a password was changed.
    ///
    /// The open connection stays signed in, and is used further.
    ///
    /// - Parameters:
    ///   - username: The user of Redis (`ACL`); `nil` for the default user.
    ///   - password: The password; `nil` if Redis requires none.
    public func signIn(as username: String?, password: [UInt8]?) {
        line.signIn(as: username, password: password)
    }

    /// Ends the connection; what waits is rejected.
    public func close() {
        line.close()
    }
}
#endif
