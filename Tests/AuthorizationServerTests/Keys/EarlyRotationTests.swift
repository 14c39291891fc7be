// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import JOSE
import ServerStorage
import SigningKeys
import StorageSuite
import TestSupport
import Testing

@Suite("Signing keys: rotation by an operator, and nonce secrets")
struct EarlyRotationTests {
    @Test func `a rotation ahead of time waits until the next key was published`() async throws {
        let process = try await RotatingServer()
        let client = try process.openID.client()
        let first = try await process.signIn(client).keyID
        try await process.ring.rotateSoon(.es256)
        try await process.ring.rotateSoon(.es256)
        await process.pass(599)
        #expect(try await process.signIn(client).keyID == first)
        #expect(try await process.published().count == 2)
        await process.pass(1)
        #expect(try await process.signIn(client).keyID != first)
        #expect(try await process.published().count == 2)
    }

    @Test func `a rotation ahead of time takes a next key that was published long enough at once`() async throws {
        let process = try await RotatingServer()
        let client = try process.openID.client()
        await process.pass(3000)
        let next = try #require(try await process.published().last)
        await process.pass(599)
        try await process.ring.rotateSoon(.es256)
        await process.pass(1)
        #expect(try await process.signIn(client).keyID == next)
    }

    @Test func `a rotation at once changes the key, and tokens stay valid`() async throws {
        let process = try await RotatingServer()
        let client = try process.openID.client()
        let old = try await process.signIn(client)
        try await process.ring.rotateNow(.es256)
        await process.pass(5)
        let new = try await process.signIn(client)
        #expect(new.keyID != old.keyID)
        #expect(try await process.accepts(old.accessToken, of: client))
        #expect(try await process.published() == [new.keyID, old.keyID])
    }

    @Test func `revoked keys are gone at once, the waiting one too, and what they signed is rejected`() async throws {
        let process = try await RotatingServer()
        let client = try process.openID.client()
        await process.pass(3000)
        let old = try await process.signIn(client)
        let before = try await process.published()
        try await process.ring.revokeAll(.es256)
        await process.engine.rotateSecrets()
        let after = try await process.published()
        #expect(after.count == 1)
        #expect(Set(before).isDisjoint(with: after))
        #expect(try await !process.accepts(old.accessToken, of: client))
        let new = try await process.signIn(client)
        #expect(try await process.accepts(new.accessToken, of: client))
        let sealed = try await process.server.storage.signingKeys().filter { $0.revokedAt != nil }.map(\.wrappedKey)
        #expect(sealed == [.forgotten, .forgotten])
    }

    @Test func `tokens that live longer from now on keep their key published longer`() async throws {
        let storage = MemoryAuthorizationStorage()
        _ = try await RotatingServer(storage: storage)
        #expect(storage.signingKeys().map(\.tokenLifetime) == [.seconds(1800)])
        _ = try await RotatingServer(storage: storage) { $0.accessToken = .seconds(9000) }
        #expect(storage.signingKeys().map(\.tokenLifetime) == [.seconds(9000)])
        _ = try await RotatingServer(storage: storage)
        #expect(storage.signingKeys().map(\.tokenLifetime) == [.seconds(9000)])
    }

    @Test func `nonces of the secret before are accepted, at the token endpoint and the server's own API`() async throws
    {
        let process = try await RotatingServer()
        let client = try process.openID.client()
        await process.pass(86_399)
        let token = try await process.openID.signIn(client).string("access_token")
        let nonce = try #require(client.nonce)
        await process.pass(1)
        #expect(
            try await process.server.storage.nonceSecrets(keeping: DPoPNonceSecret(entropy: SeededEntropy())).count == 2
        )
        let used = try await client.postOnce("/token", client.refreshing("none"))
        #expect(used.error == "invalid_grant")
        #expect(client.nonce == nonce)
        #expect(try await process.accepts(token, of: client))
        // Two days later nobody knows the secret any more, and the nonce was too old long before.
        await process.pass(86_400)
        #expect(try await client.postOnce("/token", client.refreshing("none")).error == "use_dpop_nonce")
        #expect(try await client.postOnce("/token", client.refreshing("none")).error == "invalid_grant")
    }

    @Test func `processes with one storage take each other's nonces, after a rotation too`() async throws {
        let (storage, clock) = (MemoryAuthorizationStorage(), FixedClock())
        let one = try await RotatingServer(storage: storage, clock: clock)
        let other = try await RotatingServer(storage: storage, clock: clock, seed: 2)
        clock.advance(by: .seconds(86_400))
        await other.engine.rotateSecrets()
        await one.engine.rotateSecrets()
        let client = try one.openID.client()
        try await client.fetchNonce()
        let twin = try other.openID.client()
        twin.nonce = client.nonce
        #expect(try await twin.postOnce("/token", twin.refreshing("none")).error == "invalid_grant")
    }

    @Test func `a process that knows the former replay memory takes a nonce of the new one, at its own API too`()
        async throws
    {
        let (storage, clock) = (MemoryAuthorizationStorage(), FixedClock())
        let one = try await RotatingServer(storage: storage, clock: clock)
        let other = try await RotatingServer(storage: storage, clock: clock, seed: 2)
        let client = try one.openID.client()
        let token = try await one.openID.signIn(client).string("access_token")
        storage.startReplayMemory(ReplayEpoch(startingAt: clock.now(), entropy: SeededEntropy()))
        await one.engine.rotateSecrets()
        let former = client.nonce
        client.nonce = nil
        try await client.fetchNonce()
        #expect(client.nonce != former)
        let twin = try other.openID.client()
        twin.nonce = client.nonce
        #expect(try await twin.postOnce("/token", twin.refreshing("none")).error == "invalid_grant")
        // The nonces of an API are others, of the same memory.
        #expect(try await other.accepts(token, of: client))
    }
}
