// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Audit events")
struct AuditTests {
    private let events = RecordedEvents()
    private let server: ServerUnderTest
    private let client: FakeClient

    private var kinds: [AuditEvent.Kind] { events.all.map(\.kind).filter { $0 != .nonceRequested } }

    init() async throws {
        server = try await ServerUnderTest.inMemory(audit: events).seen(from: "198.51.100.7")
        client = try FakeClient(server)
    }

    @Test func `a sign-in from the password to the revocation is one grant`() async throws {
        let (browser, attempt) = (FakeBrowser(server), client.attempt())
        let page = await browser.get(try await client.pushedTarget(attempt))
        #expect(try await browser.logIn(on: page, password: "wrong").status == 403)
        let consent = try await browser.follow(try await browser.logIn(on: page))
        let answer = try await browser.decide("allow", on: consent)
        let code = try #require(try answer.callback()["code"])
        let tokens = try await client.redeem(code, attempt)
        let refreshed = try await client.refresh(try tokens.string("refresh_token"))
        let refreshToken = try refreshed.string("refresh_token")
        _ = try await client.post("/revoke", ["client_id": "app", "token": refreshToken])
        #expect(
            kinds == [
                .signInFailed, .signInSucceeded, .consentGiven, .codeIssued, .tokenIssued, .tokenRefreshed,
                .grantRevoked,
            ]
        )
        let aboutGrant = events.all.filter { $0.grantID != nil }
        #expect(aboutGrant.count == 5)
        #expect(Set(aboutGrant.map(\.grantID)).count == 1)
        let ofPerson = events.all.prefix { $0.kind != .tokenIssued }.filter { $0.kind != .nonceRequested }
        #expect(ofPerson.allSatisfy { $0.subject == "subject-of-ada" })
        #expect(events.all.allSatisfy { $0.clientID == "app" && $0.clientAddress == "198.51.100.7" })
        #expect(events.all.allSatisfy { $0.time == server.clock.now() })
        #expect(events.all.filter { $0.kind == .tokenIssued }.map(\.detail) == ["authorization_code"])
    }

    @Test func `a name that nobody has is not written down, since it may be a password`() async throws {
        let browser = FakeBrowser(server)
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        _ = try await browser.logIn(on: page, as: "hunter2-typed-too-early", password: "wrong")
        let event = try #require(events.all.last)
        #expect(event.kind == .signInFailed && event.subject == nil)
        #expect(!String(decoding: JSONValue.object(event.json).encoded(), as: UTF8.self).contains("hunter2"))
    }

    @Test func `saying no, signing out and a limit are events`() async throws {
        let browser = try await server.signedInBrowser()
        _ = try await browser.decide("deny", on: await browser.get(try await client.pushedTarget(client.attempt())))
        _ = try await browser.decide("switch", on: await browser.get(try await client.pushedTarget(client.attempt())))
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        for _ in 0..<11 { _ = try await browser.logIn(on: page, password: "wrong") }
        #expect(
            kinds == [.consentDenied, .signedOut] + Array(repeating: .signInFailed, count: 10) + [.limitReached]
        )
        #expect(events.all.last?.detail == "passwords of an account")
    }

    @Test func `what is used twice is said, with the grant that ends`() async throws {
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        _ = try await client.redeem(code, attempt)
        expect(try await client.redeem(code, attempt), isError: "invalid_grant")
        let reuse = try #require(events.all.last)
        #expect(reuse.kind == .reuseDetected && reuse.detail == "code")
        #expect(reuse.grantID == events.all.first { $0.kind == .codeIssued }?.grantID)
        let refreshToken = try await client.signIn().string("refresh_token")
        let next = try await client.refresh(refreshToken).string("refresh_token")
        _ = try await client.refresh(next)
        expect(try await client.refresh(refreshToken), isError: "invalid_grant")
        #expect(events.all.last?.kind == .reuseDetected && events.all.last?.detail == "refresh token")
    }

    @Test func `a refused proof is said with its step, another refusal with its check`() async throws {
        try await client.fetchNonce()
        let proof = try #require(try await client.proof(for: "/token") { $0["htm"] = "GET" })
        let refused = await server.post("/token", client.refreshing("kbr_x"), fields: ["DPoP": proof])
        expect(refused, isError: "invalid_dpop_proof")
        #expect(events.all.last?.kind == .proofRejected && events.all.last?.detail == "method")
        _ = try await client.refresh("kbr_x")
        #expect(events.all.last?.kind == .requestRejected && events.all.last?.detail == "CheckRefreshToken")
        _ = await server.post("/token", client.refreshing("kbr_x"))
        #expect(events.all.last?.kind == .proofRejected)
        _ = await server.post("/token", client.refreshing("kbr_x").with("client_id", "nobody"))
        #expect(events.all.last?.detail == "CheckClientAuthentication" && events.all.last?.clientID == nil)
    }

    private var administration: ServerAdministration {
        ServerAdministration(
            storage: server.storage,
            passwords: .unprotected(entropy: server.entropy),
            clock: server.clock,
            entropy: server.entropy,
            audit: events,
            operatorName: "uid 1000"
        )
    }

    @Test func `what an operator does is said, with who it was`() async throws {
        let account = try await administration.addUser(username: "carl", password: "a long password")
        try await administration.addClient(ServerUnderTest.client("new", redirectURIs: ["https://a.example/cb"]))
        await #expect(throws: AuthorizationServerError.self) {
            try await administration.addUser(username: "carl", password: "a long password")
        }
        #expect(kinds == [.userAdded, .clientAdded])
        #expect(events.all[0].subject == account.subject && events.all[0].detail == "uid 1000")
        #expect(events.all[1].clientID == "new")
    }

    @Test func `a client can be checked before it is registered, which changes and records nothing`() async throws {
        let client = try ServerUnderTest.client("new", redirectURIs: ["https://a.example/cb"])
        try await administration.checkNewClient(client)
        #expect(kinds.isEmpty)
        let known = try await administration.clients().map(\.clientID)
        #expect(known.contains("app") && !known.contains("new"))
        try await administration.addClient(client)
        let taken = await #expect(throws: AuthorizationServerError.self) {
            try await administration.checkNewClient(client)
        }
        #expect(taken?.code == .alreadyExists)
        let bad = try ServerUnderTest.client("bad", redirectURIs: ["http://a.example/cb"])
        let refused = await #expect(throws: AuthorizationServerError.self) {
            try await administration.checkNewClient(bad)
        }
        #expect(refused?.code == .invalidValue)
    }

    @Test func `events name a registration token that is made and removed, and it is gone afterwards`() async throws {
        let token = try await administration.newRegistrationToken(uses: 3, lifetime: .seconds(60))
        let stored = try #require(try await administration.registrationTokens().first)
        #expect(stored.id == StoredRegistrationToken.id(of: SecretHash(of: token.value)))
        #expect(stored.id.count == 16 && stored.usesLeft == 3 && !token.value.contains(stored.id))
        try await administration.removeRegistrationToken(stored.id)
        #expect(kinds == [.registrationTokenAdded, .registrationTokenRemoved])
        #expect(events.all.allSatisfy { $0.detail == "uid 1000: \(stored.id)" })
        #expect(try await administration.registrationTokens().isEmpty)
        let error = await #expect(throws: AuthorizationServerError.self) {
            try await administration.removeRegistrationToken(stored.id)
        }
        #expect(error?.code == .notFound)
    }

    @Test func `all registration tokens can be removed at once, and each removal is recorded`() async throws {
        for _ in 0..<2 { _ = try await administration.newRegistrationToken() }
        #expect(try await administration.removeAllRegistrationTokens() == 2)
        #expect(kinds.suffix(2) == [.registrationTokenRemoved, .registrationTokenRemoved])
        #expect(try await administration.registrationTokens().isEmpty)
        #expect(try await administration.removeAllRegistrationTokens() == 0)
    }

    @Test func `another password signs every browser out, and apps keep what they were allowed`() async throws {
        let browser = try await server.signedInBrowser()
        let tokens = try await client.signIn()
        await #expect(throws: AuthorizationServerError.self) {
            try await administration.changePassword(of: "Ada", to: "short")
        }
        await #expect(throws: AuthorizationServerError.self) {
            try await administration.changePassword(of: "nobody", to: "a long password")
        }
        try await administration.changePassword(of: "Ada", to: "another long password")
        #expect(events.all.last?.kind == .passwordChanged && events.all.last?.subject == "subject-of-ada")
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        #expect(try await browser.logIn(on: page).status == 403)
        #expect(try await browser.logIn(on: page, password: "another long password").status == 303)
        #expect(try await client.refresh(tokens.string("refresh_token")).status == 200)
    }

    @Test func `a grant that an operator revokes is over, and only that one`() async throws {
        let tokens = [try await client.signIn(), try await client.signIn()]
        let grants = try await administration.grants(of: "ada")
        #expect(grants.count == 2 && grants.allSatisfy { $0.clientID == "app" })
        let first = try #require(grants.first)
        try await administration.revokeGrant(first.id)
        #expect(events.all.last?.kind == .grantRevoked && events.all.last?.grantID == first.id)
        let statuses = [
            try await client.refresh(tokens[0].string("refresh_token")).status,
            try await client.refresh(tokens[1].string("refresh_token")).status,
        ]
        #expect(statuses.sorted() == [200, 400])
        await #expect(throws: AuthorizationServerError.self) { try await administration.revokeGrant(first.id) }
        #expect(try await administration.revokeAllGrants() == 1)
        #expect(try await administration.grants(of: "ada").isEmpty)
        #expect(events.all.last?.kind == .allGrantsRevoked)
    }

    @Test func `a person who is removed is nobody, in browsers and in apps`() async throws {
        let browser = try await server.signedInBrowser()
        let tokens = try await client.signIn()
        try await administration.removeUser("ada")
        #expect(events.all.last?.kind == .userRemoved)
        expect(try await client.refresh(tokens.string("refresh_token")), isError: "invalid_grant")
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        #expect(try await browser.logIn(on: page).status == 403)
        #expect(try await administration.users().allSatisfy { $0.username != "ada" })
        await #expect(throws: AuthorizationServerError.self) { try await administration.removeUser("ada") }
    }
}
