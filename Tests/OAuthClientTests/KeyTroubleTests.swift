// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import KeyStoreSuite
import OAuthClient
import OAuthCore
import SigningKeys
import Testing

@Suite("What goes wrong with the key of an account, and how it goes on")
struct KeyTroubleTests {
    private let keys = FaultyKeyStore()

    /// Waits for the first events of a stream.
    private func first(_ count: Int, of events: AsyncStream<SessionEvent>) async -> [SessionEvent] {
        var seen: [SessionEvent] = []
        for await event in events.prefix(count) { seen.append(event) }
        return seen
    }

    private func restarted(_ fixture: SignInFixture) throws -> SignInFixture {
        try SignInFixture(tokenStore: fixture.tokenStore, keyStore: keys, server: fixture.server)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a key that no store opens any more is missing, told once, and a new sign-in mends it`()
        async throws
    {
        let fixture = try SignInFixture(keyStore: keys)
        let lost = try await fixture.session().tokenManager.fetch().keyThumbprint
        let later = try restarted(fixture)
        let events = later.client.sessionEvents()
        let session = try #require(try await later.client.restoreSession())
        keys.fail([.load, .generate], with: .keyLost)
        for _ in 0..<2 {
            let error = await clientError { _ = try await later.get(session) }
            #expect(error?.code == .keyMissing)
            #expect(error?.keyStoreError?.code == .keyLost)
        }
        #expect(await clientError { try await session.tokenManager.refresh() }?.code == .keyMissing)
        // Once the key is deleted, the store can make another one.
        keys.fail(untilDeleted: [.load, .generate], with: .keyLost)
        let renewed = try await later.session()
        #expect(try await renewed.tokenManager.fetch().keyThumbprint != lost)
        #expect(try await later.get(renewed).status == 200)
        await renewed.signOut()
        let expected: [SessionEvent] = [.keyLost, .refreshFailed, .keyLost, .signedOut]
        #expect(await first(4, of: events) == expected)
    }

    @Test(.timeLimit(.minutes(1))) func `tokens whose key is gone are no session, until the key is back`() async throws
    {
        let store = MemoryKeyStore()
        let fixture = try SignInFixture(keyStore: store)
        _ = try await fixture.session()
        let emptied = try SignInFixture(
            tokenStore: fixture.tokenStore,
            keyStore: MemoryKeyStore(),
            server: fixture.server
        )
        let events = emptied.client.sessionEvents()
        #expect(try await emptied.client.restoreSession() == nil)
        #expect(try await emptied.client.restoreSession() == nil)
        #expect(await first(1, of: events) == [.keyLost])
        // Who does not ask gets the session, and its first call says so.
        let unchecked = try #require(try await emptied.client.restoreSession(checkingKey: false))
        #expect(await clientError { _ = try await emptied.get(unchecked) }?.code == .keyMissing)
        // Nothing was revoked or deleted meanwhile.
        let back = try SignInFixture(tokenStore: fixture.tokenStore, keyStore: store, server: fixture.server)
        let session = try #require(try await back.client.restoreSession())
        #expect(try await back.get(session).status == 200)
    }

    @Test func `a store that cannot answer has not lost the key`() async throws {
        let fixture = try SignInFixture(keyStore: keys)
        _ = try await fixture.session()
        let later = try restarted(fixture)
        keys.fail([.list], with: .deviceUnavailable)
        #expect(try await later.client.restoreSession() != nil)
    }

    @Test func `a lost key that another process has replaced meanwhile is left alone`() async throws {
        let fixture = try SignInFixture(keyStore: keys)
        let old = try await fixture.session().tokenManager.fetch().keyThumbprint
        let later = try restarted(fixture)
        // Only the first load reports it: at the second one there is a key again.
        keys.fail([.generate], with: .keyLost)
        let error = await clientError { _ = try await later.session() }
        #expect(error?.keyStoreError?.code == .keyLost)
        keys.fail(with: nil)
        #expect(try await later.session().tokenManager.fetch().keyThumbprint == old)
    }

    @Test(.timeLimit(.minutes(1))) func `a locked device is told, and is no reason for another key`() async throws {
        let fixture = try SignInFixture(keyStore: keys)
        let old = try await fixture.session().tokenManager.fetch().keyThumbprint
        let later = try restarted(fixture)
        let events = later.client.sessionEvents()
        let session = try #require(try await later.client.restoreSession())
        keys.fail(with: .deviceLocked)
        #expect(await clientError { _ = try await later.get(session) }?.code == .keyUnavailable)
        let error = await clientError { _ = try await later.session() }
        #expect(error?.keyStoreError?.code == .deviceLocked)
        keys.fail(with: nil)
        #expect(try await later.get(session).status == 200)
        #expect(try await later.session().tokenManager.fetch().keyThumbprint == old)
        #expect(await first(2, of: events) == [.deviceLocked, .deviceLocked])
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [KeyStoreError.Code.deviceFailed, .wrongPIN, .userCanceled, .hardwareRequired, .deviceUnavailable]
    )
    func `a key that cannot be made is told, with the reason under the error`(code: KeyStoreError.Code) async throws {
        let fixture = try SignInFixture(keyStore: keys)
        let events = fixture.client.sessionEvents()
        keys.fail([.generate], with: code)
        let error = await clientError { _ = try await fixture.session() }
        #expect(error?.code == .keyUnavailable)
        #expect(error?.keyStoreError?.code == code)
        #expect(await first(1, of: events) == [.keyCreationFailed])
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            (KeyStoreError.Code.keyLost, OAuthClientError.Code.keyMissing, SessionEvent.keyLost),
            (.deviceLocked, .keyUnavailable, .deviceLocked), (.deviceFailed, .keyUnavailable, .proofFailed),
        ]
    )
    func `a key that does not sign is told, to an API and at a refresh`(
        code: KeyStoreError.Code,
        expected: OAuthClientError.Code,
        event: SessionEvent
    ) async throws {
        for refreshes in [false, true] {
            let fixture = try SignInFixture(keyStore: keys)
            let session = try await fixture.session()
            let events = session.events()
            keys.fail([.sign], with: code)
            let error = await clientError {
                if refreshes { try await session.tokenManager.refresh() } else { _ = try await fixture.get(session) }
            }
            #expect(error?.code == expected)
            #expect(error?.keyStoreError?.code == code)
            #expect(await first(1, of: events) == [event])
            keys.fail(with: nil)
            #expect(try await fixture.get(session).status == 200)
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a proof that is rejected for good is told`() async throws {
        let fixture = try SignInFixture(keyStore: keys)
        let session = try await fixture.session()
        let events = session.events()
        await fixture.server.change {
            $0.instead["/api/items"] = [.challenge("DPoP error=\"invalid_dpop_proof\"")]
            $0.instead["/token"] = [.error(400, "invalid_dpop_proof")]
        }
        #expect(try await fixture.get(session).status == 401)
        #expect(await clientError { try await session.tokenManager.refresh() }?.code == .serverRejected)
        #expect(await first(3, of: events) == [.proofFailed, .proofFailed, .refreshFailed])
    }

    @Test(.timeLimit(.minutes(1))) func `better protection is offered, and taken only by a new sign-in`() async throws {
        let hardware = FaultyKeyStore(claiming: .hardwareBound)
        hardware.fail(with: .deviceUnavailable)
        let manager = KeyManager(
            hardware: [KeyLocation("device", hardware)],
            software: KeyLocation("memory", keys),
            placements: MemoryKeyLocationStore()
        )
        let fixture = try SignInFixture(keyStore: manager)
        let events = fixture.client.sessionEvents()
        #expect(try await fixture.client.offersStrongerKey() == nil)
        let session = try await fixture.session()
        let old = try await session.tokenManager.fetch().keyThumbprint
        #expect(try await session.keyProtection() == .memory)
        #expect(try await fixture.client.offersStrongerKey() == nil)

        hardware.fail(with: nil)
        #expect(try await fixture.client.offersStrongerKey() == .hardwareBound)
        let again = try await fixture.session()
        #expect(try await again.tokenManager.fetch().keyThumbprint == old)
        await again.signOut()
        let renewed = try await fixture.session()
        #expect(try await renewed.keyProtection() == .hardwareBound)
        #expect(try await renewed.tokenManager.fetch().keyThumbprint != old)
        #expect(try await fixture.client.offersStrongerKey() == nil)
        #expect(try await keys.aliases() == [])
        #expect(await first(2, of: events) == [.keyFellBack, .signedOut])
    }
}
