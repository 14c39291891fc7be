// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import OAuthSystem
import RedisReplay

/// Where a gateway remembers used proofs, and its nonces, which fit that memory.
struct GatewayReplay: Sendable {
    let nonces: DPoPNonceIssuer
    /// The store for guards: one of the next two.
    let store: any ReplayStore
    /// The memory of this process; `nil` with Redis.
    let memory: MemoryReplayStore?
    /// The memory of several gateways; `nil` without.
    let redis: RedisReplayStore?
    /// Where ``redis`` listens.
    private let address: RedisAddress?
    /// Since when this process remembers used proofs; `nil` with Redis, whose memory says so itself.
    let since: Timestamp?

    init(_ settings: GatewayRedis?, clock: any WallClock) {
        guard let settings else {
            // Used proofs are in the memory of this process, so no nonce of another one may be accepted.
            nonces = DPoPNonceIssuer(role: .resourceServer, secrets: [DPoPNonceSecret(entropy: SystemEntropy())])
            let memory = MemoryReplayStore()
            (self.memory, redis, store, address) = (memory, nil, memory, nil)
            since = clock.now()
            return
        }
        nonces = DPoPNonceIssuer(role: .resourceServer, secrets: [settings.nonceSecret])
        let redis = RedisReplayStore(settings.configuration, clock: clock)
        (memory, self.redis, store, address) = (nil, redis, redis, settings.configuration.address)
        since = nil
        // Another gateway may know the memory of a Redis that was started again, and this one not yet.
        nonces.onUnknownNonce { [weak nonces] in
            if let epoch = try? await redis.epoch() { nonces?.start(epoch) }
        }
    }

    /// Looks at Redis, and makes nonces for the memory that it has now.
    ///
    /// - Throws: ``/RedisReplay/RedisReplayError``.
    func look() async throws(RedisReplayError) {
        if let redis { nonces.start(try await redis.epoch()) }
    }

    /// Uses another secret for new nonces, those of the secret before stay valid; and another user or password for the next
    /// connection to Redis, unless they are for a Redis at another address, which waits for a restart.
    func use(_ settings: GatewayRedis?) {
        guard let redis, let settings else { return }
        nonces.rotate(to: settings.nonceSecret)
        guard settings.configuration.address == address else { return }
        redis.signIn(as: settings.configuration.username, password: settings.configuration.password)
    }
}
#endif
