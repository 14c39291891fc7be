// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import JOSE
import ServerStorage
import SigningKeys
import StorageSuite
import StrictJSON
import TestSupport
import Testing

@Suite("Signing keys: rotation while the server runs")
struct SigningKeyRotationTests {
    @Test func `the next key is published before it signs, and what the old one signed stays valid`() async throws {
        let process = try await RotatingServer()
        let client = try process.openID.client()
        let first = try await process.published()
        #expect(first.count == 1)
        #expect(await process.server.get("/jwks").fields["Cache-Control"] == "public, max-age=300")
        await process.pass(2999)
        #expect(try await process.published() == first)

        await process.pass(1)
        let both = try await process.published()
        #expect(both.count == 2 && both.first == first.first)
        await process.pass(599)
        let old = try await process.signIn(client)
        #expect(old.keyID == first.first)

        await process.pass(1)
        let new = try await process.signIn(client)
        #expect(new.keyID == both.last)
        #expect(try await process.published() == both.reversed())
        #expect(try await process.accepts(old.accessToken, of: client))
        #expect(try await process.accepts(new.accessToken, of: client))

        await process.pass(1859)
        #expect(try await process.published() == both.reversed())
        await process.pass(1)
        #expect(try await process.published() == [new.keyID])
        #expect(try await process.server.storage.signingKeys().map(\.keyID) == [new.keyID])
        #expect(process.server.reports.all.isEmpty)
    }

    @Test func `a token of a retired key can be revoked, and names who signs out`() async throws {
        let process = try await RotatingServer()
        let client = try process.openID.client("oidc-es256")
        await process.pass(3000)
        await process.pass(590)
        let tokens = try await process.openID.signIn(client)
        await process.pass(10)
        let accessToken = try tokens.string("access_token")
        #expect(try await process.accepts(accessToken, of: client))
        let hint = try tokens.string("id_token")
        let page = await process.server.get("/logout?id_token_hint=\(hint)")
        #expect(page.status == 200)
        _ = try await client.post("/revoke", ["token": accessToken, "client_id": "oidc-es256"])
        #expect(try await !process.accepts(accessToken, of: client))
    }

    @Test func `processes with one storage agree on every key, whoever makes it`() async throws {
        let (storage, clock) = (MemoryAuthorizationStorage(), FixedClock())
        let one = try await RotatingServer(storage: storage, clock: clock)
        let other = try await RotatingServer(storage: storage, clock: clock, seed: 2)
        for round in 1...20 {
            clock.advance(by: .seconds(571))
            let (first, second) = round.isMultiple(of: 2) ? (one, other) : (other, one)
            async let one: Void = first.engine.rotateSecrets()
            async let two: Void = second.engine.rotateSecrets()
            _ = await (one, two)
            await first.engine.rotateSecrets()
            #expect(try await first.published() == second.published())
            #expect(storage.signingKeys().count <= 3)
        }
        let client = try one.openID.client()
        let token = try await one.signIn(client).accessToken
        #expect(try await other.accepts(token, of: client))
    }

    @Test func `a process whose clock is wrong neither makes nor deletes a key, and follows the others`() async throws {
        let (storage, clock, ahead) = (MemoryAuthorizationStorage(), FixedClock(), FixedClock())
        let right = try await RotatingServer(storage: storage, clock: clock)
        // A key that is retired, and one that signs.
        await right.pass(3000)
        await right.pass(600)
        let keys = storage.signingKeys().map(\.keyID)
        #expect(keys.count == 2)
        let secrets = Self.nonceSecrets(in: storage)

        ahead.advance(by: .seconds(40 * 86_400))
        let wrong = try await RotatingServer(storage: storage, clock: ahead, seed: 2, mayRotate: { false })
        await wrong.engine.rotateSecrets()
        #expect(storage.signingKeys().map(\.keyID) == keys)
        #expect(Self.nonceSecrets(in: storage) == secrets)
        #expect(wrong.server.reports.all.isEmpty)

        // What an operator revokes is gone there too.
        try await right.ring.revokeAll(.es256)
        await wrong.engine.rotateSecrets()
        #expect(try await wrong.published() == storage.signingKeys().filter { $0.revokedAt == nil }.map(\.keyID))
    }

    @Test func `a new database gets its first key, whatever the clock says`() async throws {
        let server = try await RotatingServer(mayRotate: { false })
        #expect(try await server.published().count == 1)
    }

    private static func nonceSecrets(in storage: MemoryAuthorizationStorage) -> [DPoPNonceSecret] {
        storage.nonceSecrets(
            replacingAfter: .seconds(1_000_000_000),
            with: DPoPNonceSecret(number: 9, bytes: [UInt8](repeating: 9, count: 32)),
            starting: Sample.epoch("a"),
            at: FixedClock().now()
        ).secrets
    }

    @Test func `a server that was stopped past the change signs with the old key until the next was published`()
        async throws
    {
        let (storage, clock) = (MemoryAuthorizationStorage(), FixedClock())
        let first = try await RotatingServer(storage: storage, clock: clock).published()
        clock.advance(by: .seconds(100_000))
        let later = try await RotatingServer(storage: storage, clock: clock)
        let client = try later.openID.client()
        #expect(try await later.published().count == 2)
        #expect(try await later.signIn(client).keyID == first.first)
        await later.pass(600)
        #expect(try await later.signIn(client).keyID != first.first)
    }

    @Test func `a key from before there was a ring is the first, and is not brought back`() async throws {
        let (storage, clock, file) = (MemoryAuthorizationStorage(), FixedClock(), try TestKey.p256(9))
        let process = try await RotatingServer(storage: storage, clock: clock, adopting: [file])
        let client = try process.openID.client()
        #expect(try await process.signIn(client).keyID == file.publicKey.thumbprint.description)
        try await process.ring.revokeAll(.es256)
        let again = try await RotatingServer(storage: storage, clock: clock, adopting: [file])
        #expect(try await !again.published().contains(file.publicKey.thumbprint.description))
    }

    @Test func `every algorithm has keys of its own`() async throws {
        let process = try await RotatingServer(algorithms: [.es256, .ps256])
        await process.pass(3000)
        let keys = try JWKSet(parsing: await process.server.get("/jwks").json).keys
        #expect(keys.compactMap(\.algorithm) == [.es256, .es256, .ps256, .ps256])
        let metadata = await process.server.get("/.well-known/openid-configuration").json
        #expect(metadata["id_token_signing_alg_values_supported"] == ["PS256", "ES256"])
    }

    @Test func `nothing is in the storage that signs, unless the sealer is known`() async throws {
        let storage = MemoryAuthorizationStorage()
        let credential = [UInt8](1...32)
        let sealer = try KeyFileWrapper(encryptingWith: .credential(credential))
        _ = try await RotatingServer(storage: storage, sealer: sealer)
        let stored = try #require(storage.signingKeys().first)
        let key = try sealer.open(stored.wrappedKey, as: KeyAlias(stored.keyID))
        let sealed = String(decoding: stored.wrappedKey.bytes, as: UTF8.self)
        #expect(!sealed.contains(Base64URL.encode(key.privateKeyBytes)))
        #expect(stored.publicKey.thumbprint == key.publicKey.thumbprint)
        let wrong = try KeyFileWrapper(encryptingWith: .credential(credential.reversed()))
        let error = await #expect(throws: AuthorizationServerError.self) {
            _ = try await RotatingServer(storage: storage, sealer: wrong)
        }
        #expect((error?.underlying as? KeyStoreError)?.code == .wrongPassphrase)
        let ring = try SigningKeyRing(storage: storage, sealer: wrong)
        await #expect(throws: AuthorizationServerError.self) { try await ring.rotateNow(.es256) }
        await #expect(throws: AuthorizationServerError.self) { try await ring.revokeAll(.es256) }
        #expect(storage.signingKeys() == [stored])
    }

    @Test func `a sealed key in the place of another is not opened`() async throws {
        let storage = MemoryAuthorizationStorage()
        let process = try await RotatingServer(storage: storage)
        await process.pass(3000)
        let keys = storage.signingKeys()
        var swapped = try #require(keys.first)
        swapped.wrappedKey = try #require(keys.last).wrappedKey
        storage.deleteSigningKeys(keys.map(\.keyID))
        #expect(storage.add(swapped, after: nil))
        await #expect(throws: AuthorizationServerError.self) { _ = try await RotatingServer(storage: storage) }
        // The one that runs goes on with what it has, and says so.
        let before = try await process.published()
        #expect(storage.add(try #require(keys.last), after: swapped.keyID))
        await process.engine.rotateSecrets()
        #expect(try await process.published() == before)
    }

    @Test func `a key that is made and one that is deleted leave an audit event each, and no other`() async throws {
        let events = RecordedEvents()
        let rotating = try await RotatingServer(audit: events)
        let first = try #require(try await rotating.published().first)
        #expect(events.all.map(\.detail) == ["ES256 \(first), signs in 0 s"])
        await rotating.pass(3000)
        let second = try #require(try await rotating.published().last)
        #expect(events.all.map(\.detail).last == "ES256 \(second), signs in 600 s")
        await rotating.pass(600)
        // Before the last token of the first key is over, it stays.
        rotating.server.clock.advance(by: RotatingServer.retention - .seconds(1))
        await rotating.engine.rotateSecrets()
        #expect(events.all.map(\.kind) == [.signingKeyMade, .signingKeyMade])
        await rotating.pass(1)
        #expect(events.all.map(\.kind) == [.signingKeyMade, .signingKeyMade, .signingKeyDeleted])
        #expect(events.all.last?.detail == "ES256 \(first)")
    }
}
