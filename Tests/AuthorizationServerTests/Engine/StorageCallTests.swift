// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStorage
import StrictJSON
import TestSupport
import Testing

/// How many round trips to a database each kind of request makes: one to read and one to write, or fewer.
@Suite("Calls of the storage for each request")
struct StorageCallTests {
    private let storage = CountedStorage(MemoryAuthorizationStorage())

    /// A server that records proofs in its storage.
    private func server(
        clients: [RegisteredClient] = [],
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> ServerUnderTest {
        try await ServerUnderTest.inMemory(
            clients: clients,
            storage: storage,
            recordsProofsInStorage: true,
            change
        )
    }

    /// Makes a request, and expects its calls.
    ///
    /// Requests with proofs are made once before, so that the client has a nonce and the server knows the key of the
    /// shards, which it reads once.
    private func expect(
        _ expected: [String],
        status: Int = 200,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ request: () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        _ = storage.takeCalls()
        let response = try await request()
        #expect(response.status == status, "\(response.text)", sourceLocation: sourceLocation)
        #expect(storage.takeCalls() == expected, sourceLocation: sourceLocation)
        return response
    }

    @Test func `each request of a sign-in without a browser takes one read and one write, and a password is counted`()
        async throws
    {
        let server = try await FirstPartyApp.server(storage: storage, recordsProofsInStorage: true)
        let app = try await FirstPartyApp(server)
        _ = try await app.signIn()
        let (read, count) = ("reads(ofFirstPartySession:for:userNamed:at:)", "changeAttempts(of:at:by:)")
        let asked = try await expect([read, "add(_:recording:at:)"], status: 403) { try await app.begin() }
        let session = try asked.string("auth_session")
        let again = try await expect([read, count, "advance(from:to:recording:at:)"], status: 403) {
            try await app.answer(session, password: "wrong")
        }
        let next = try again.string("auth_session")
        let finish = "finish(from:as:issuing:under:judgedBy:recording:at:)"
        let finished = try await expect([read, count, finish, count]) { try await app.answer(next) }
        let earlier = try finished.string("auth_session")
        _ = try await expect([read, finish]) { try await app.begin(nil, ["auth_session": earlier]) }
        let other = try await app.session()
        _ = try await expect([read, "leave(_:from:storing:recording:at:)"], status: 403) {
            try await app.post(["auth_session": other, "step": "redirect_to_web"])
        }
    }

    @Test func `a code and a refresh token take one read and one write`() async throws {
        let server = try await server()
        let client = try FakeClient(server)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        try await client.fetchNonce()
        let tokens = try await expect(["reads(ofCode:for:)", "redeem(_:issuing:until:recording:at:)"]) {
            try await client.redeem(code, attempt)
        }
        let token = try tokens.string("refresh_token")
        _ = try await expect(["reads(ofRefreshToken:for:)", "rotate(_:to:grace:recording:at:)"]) {
            try await client.refresh(token)
        }
    }

    @Test func `client credentials and a pushed request take one read and one write`() async throws {
        let server = try await server(clients: [try ConfidentialClient.registration("basic", .clientSecretBasic)])
        let client = try ConfidentialClient(server, "basic")
        let prover = FakeClient(server, clientID: "basic", key: try TestKey.p256(2))
        let grant: FormParameters = ["grant_type": "client_credentials"]
        _ = try await prover.post("/token", grant, fields: client.basic)
        _ = try await expect(["client(_:)", "record(_:at:)"]) {
            try await prover.post("/token", grant, fields: client.basic)
        }
        let app = try FakeClient(server)
        try await app.fetchNonce()
        let attempt = app.attempt()
        _ = try await expect(["client(_:)", "add(_:recording:at:)"], status: 201) { try await app.push(attempt) }
    }

    @Test func `a device takes one read and one write, whenever it asks`() async throws {
        var tv = try ServerUnderTest.client("tv", name: "Living room", redirectURIs: [], isBound: true)
        tv.grantTypes = [.deviceCode, .refreshToken]
        let server = try await server(clients: [tv])
        _ = storage.takeCalls()
        let device = try await FakeDevice.start(server)
        // The key of the shards is read once.
        #expect(storage.takeCalls() == ["client(_:)", "shardSecret(storing:)", "add(_:recording:at:)"])
        try await device.client.fetchNonce()
        _ = try await expect(["reads(ofDeviceCode:for:)", "pollDevice(_:recording:at:)"], status: 400) {
            try await device.poll()
        }
        _ = try await device.decide("allow")
        _ = try await expect(
            ["reads(ofDeviceCode:for:)", "redeemDevice(_:issuing:until:recording:at:)"]
        ) { try await device.poll() }
    }

    @Test func `a token exchange takes one read and one write`() async throws {
        let server = try await ExchangeClient.server(storage: storage, recordsProofsInStorage: true)
        let token = try await FakeClient(server).signIn().string("access_token")
        let exchange = try ExchangeClient(server)
        _ = try await exchange.exchange(token)
        _ = try await expect(["reads(ofTokens:for:at:)", "record(_:until:recording:at:)"]) {
            try await exchange.exchange(token)
        }
    }

    @Test func `introspection takes one read; revocation one more write`() async throws {
        let server = try await server(clients: [try ConfidentialClient.registration("basic", .clientSecretBasic)])
        let client = try ConfidentialClient(server, "basic")
        let prover = FakeClient(server, clientID: "basic", key: try TestKey.p256(2))
        let grant: FormParameters = ["grant_type": "client_credentials"]
        let token = try await prover.post("/token", grant, fields: client.basic).string("access_token")
        _ = try await expect(["reads(ofTokens:for:at:)"]) { await client.introspect(token) }
        _ = try await expect(["reads(ofTokens:for:at:)", "revokeGrant(_:recording:at:)"]) {
            await server.post("/revoke", ["token": token], fields: client.basic)
        }
    }

    @Test func `a client assertion costs no further call`() async throws {
        let server = try await server(clients: [try ConfidentialClient.registration("signed", .privateKeyJWT)])
        let client = try ConfidentialClient(server, "signed")
        let prover = try FakeClient(server)
        _ = try await prover.post("/token", client.signed().adding("grant_type", "client_credentials"))
        let form = try await client.signed().adding("grant_type", "client_credentials")
        _ = try await expect(["client(_:)", "record(_:at:)"]) { try await prover.postOnce("/token", form) }
    }

    @Test func `pages of the browser take one read, and one write for what they decide, and a password is counted`()
        async throws
    {
        let server = try await server()
        let client = try FakeClient(server)
        let browser = FakeBrowser(server)
        let target = try await client.pushedTarget(client.attempt())
        let (read, count) = ("reads(ofRequest:in:userNamed:at:)", "changeAttempts(of:at:by:)")
        let login = try await expect([read]) { await browser.get(target) }
        // Once in the life of a server: the key of the shards, with the first user who signs in.
        let calls = [read, "shardSecret(storing:)", count, "start(_:replacing:judgedBy:)", count]
        let signedIn = try await expect(calls, status: 303) { try await browser.logIn(on: login) }
        let consent = try await expect([read]) { try await browser.follow(signedIn) }
        _ = try await expect([read, "issue(_:under:consuming:in:by:at:)"], status: 303) {
            try await browser.decide("allow", on: consent)
        }
    }

    @Test func `the form that ends a session writes nothing where there is none, however often it is sent`()
        async throws
    {
        let server = try await server { $0.scopes.append(.init(name: "openid")) }
        let client = try FakeClient(server)
        let browser = try await server.signedInBrowser()
        let consent = await browser.get(try await client.pushedTarget(client.attempt()))
        let signOut = await browser.get("/logout")
        let (read, end) = ("reads(ofRequest:in:userNamed:at:)", "endSession(_:)")
        _ = try await expect([read, end], status: 303) { try await browser.decide("switch", on: consent) }
        _ = try await expect([read], status: 303) { try await browser.decide("switch", on: consent) }
        let readOfBrowser = "reads(ofClient:in:at:)"
        _ = try await expect([readOfBrowser]) { try await browser.decide("signout", on: signOut) }
        let again = try await server.signedInBrowser()
        let page = await again.get("/logout")
        _ = try await expect([readOfBrowser, end]) { try await again.decide("signout", on: page) }
    }

    @Test func `a request that is answered at once takes one read and one write`() async throws {
        let server = try await server { $0.remembersConsentForRedirectsThatAnyAppCanTake = true }
        let client = try FakeClient(server)
        let browser = try await server.signedInBrowser()
        let page = await browser.get(client.directTarget(client.attempt()))
        #expect(try await browser.submit(page, ["decision": "allow", "remember": "yes"]).status == 303)
        let target = client.directTarget(client.attempt())
        _ = try await expect(["reads(ofClient:in:at:)", "issue(_:under:in:by:at:)"], status: 303) {
            await browser.get(target)
        }
    }

    @Test func `userinfo takes one read, and one write for the proof`() async throws {
        var app = try ServerUnderTest.client("one", redirectURIs: ["https://one.example/cb"], scope: "openid")
        app.idTokenSignedResponseAlgorithm = .es256
        let server = try await server(clients: [app]) { $0.scopes.append(.init(name: "openid")) }
        let key = try TestKey.p256(2)
        let client = FakeClient(server, clientID: "one", redirectURI: "https://one.example/cb", key: key)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("scope", "openid")
        let token = try await client.redeem(try await client.code(for: attempt), attempt).string("access_token")
        _ = try await client.userInfo(token)
        _ = try await expect(["user(ofGrant:recording:at:)"]) { try await client.userInfo(token) }
    }
}
