// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 9700 section 4.14.2: a grant ends at its greatest age, however often it is used", .overSocketsOnEveryStore)
struct GrantAgeTests {
    /// When the stored refresh token expires; `nil` if it can no longer be used.
    private func expiry(of token: String, at server: ServerUnderTest) async throws -> Timestamp? {
        let secret = try #require(GrantSecret(token, as: .refreshToken))
        return try await server.storage.liveRefreshToken(secret, at: server.clock.now())?.expiresAt
    }

    @Test func `refreshes do not extend the grant: the last one is before the end, and none at the end or later`()
        async throws
    {
        let server = try await ServerUnderTest.inMemory { $0.lifetimes.grant = .seconds(3600) }
        let client = try FakeClient(server)
        let end = server.clock.now() + .seconds(3600)
        var tokens = try await client.signIn()
        for _ in 0..<3 {
            #expect(tokens.json["expires_in"] == 300)
            #expect(try await expiry(of: tokens.string("refresh_token"), at: server) == end)
            server.clock.advance(by: .seconds(1000))
            tokens = try await client.refresh(try tokens.string("refresh_token"))
            #expect(tokens.status == 200, "\(tokens.text)")
        }
        server.clock.set(to: end - .seconds(1))
        let last = try await client.refresh(try tokens.string("refresh_token"))
        #expect(last.json["expires_in"] == 1, "\(last.text)")
        #expect(try last.claims()["exp"] == .number(JSONNumber(end.secondsSince1970)))
        #expect(try await expiry(of: last.string("refresh_token"), at: server) == end)
        for time in [end - .milliseconds(999), end, end + .seconds(1), end + .seconds(3600)] {
            server.clock.set(to: time)
            let rejected = try await client.refresh(try last.string("refresh_token"))
            expect(rejected, isError: "invalid_grant")
            #expect(try rejected.string("error_description").contains("the grant is too old"))
        }
    }

    @Test func `a refresh token that is used again within the grace does not outlive the grant either`() async throws {
        let server = try await ServerUnderTest.inMemory { $0.lifetimes.grant = .seconds(3600) }
        let client = try FakeClient(server)
        let end = server.clock.now() + .seconds(3600)
        let first = try await client.signIn().string("refresh_token")
        server.clock.set(to: end - .seconds(20))
        _ = try await client.refresh(first).string("refresh_token")
        server.clock.set(to: end - .seconds(10))
        let again = try await client.refresh(first)
        #expect(again.json["expires_in"] == 10, "\(again.text)")
        server.clock.set(to: end)
        expect(try await client.refresh(first), isError: "invalid_grant")
        expect(try await client.refresh(try again.string("refresh_token")), isError: "invalid_grant")
    }

    @Test func `without the setting, refresh tokens that are used live on`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var tokens = try await client.signIn()
        for _ in 0..<4 {
            server.clock.advance(by: .seconds(20 * 86_400))
            tokens = try await client.refresh(try tokens.string("refresh_token"))
            #expect(tokens.json["expires_in"] == 300, "\(tokens.text)")
        }
        let end = server.clock.now() + .seconds(30 * 86_400)
        #expect(try await expiry(of: tokens.string("refresh_token"), at: server) == end)
    }

    @Test func `introspection says that a refresh token ends with its grant`() async throws {
        let server = try await ConfidentialClient.server { $0.lifetimes.grant = .seconds(3600) }
        let credentials = try ConfidentialClient(server, "basic")
        let client = FakeClient(server, clientID: "basic", key: try TestKey.p256(2), standing: credentials.basic)
        let end = server.clock.now() + .seconds(3600)
        let first = try await client.signIn().string("refresh_token")
        server.clock.set(to: end - .seconds(10))
        let tokens = try await client.refresh(first)
        for name in ["access_token", "refresh_token"] {
            let token = try tokens.string(name)
            server.clock.set(to: end - .seconds(10))
            let answer = await credentials.introspect(token).json
            #expect(answer["active"] == true && answer["exp"] == .number(JSONNumber(end.secondsSince1970)), "\(name)")
            server.clock.set(to: end)
            #expect(await credentials.introspect(token).json == ["active": false], "\(name)")
        }
    }

    @Test func `userinfo accepts no access token after the end of its grant`() async throws {
        let openID = try await OpenIDServer { $0.lifetimes.grant = .seconds(3600) }
        let (server, client) = (openID.server, try openID.client())
        let end = server.clock.now() + .seconds(3600)
        let first = try await openID.signIn(client).string("refresh_token")
        server.clock.set(to: end - .seconds(10))
        let token = try await client.refresh(first).string("access_token")
        #expect(try await openID.userInfo(token, client).status == 200)
        server.clock.set(to: end)
        #expect(try await openID.userInfo(token, client).status == 401)
    }

    @Test func `the grant of a device begins when its user allows it, and not with its first request`() async throws {
        let server = try await FakeDevice.server { $0.lifetimes.grant = .seconds(400) }
        let (soon, late) = (try await FakeDevice.start(server), try await FakeDevice.start(server))
        server.clock.advance(by: .seconds(100))
        for device in [soon, late] { try await device.decide("allow") }
        let end = server.clock.now() + .seconds(400)
        server.clock.set(to: end - .seconds(10))
        let tokens = try await soon.poll()
        #expect(tokens.json["expires_in"] == 10, "\(tokens.text)")
        #expect(try await expiry(of: tokens.string("refresh_token"), at: server) == end)
        server.clock.set(to: end)
        expect(try await soon.client.refresh(try tokens.string("refresh_token")), isError: "invalid_grant")
        // The codes of the device are valid for longer than its grant.
        expect(try await late.poll(), isError: "invalid_grant")
    }

    @Test func `the grant of a sign-in without a browser begins with its code`() async throws {
        let server = try await FirstPartyApp.server {
            $0.firstParty.allowsUnattestedClients = true
            $0.lifetimes.grant = .seconds(3600)
        }
        let app = FirstPartyApp(FakeClient(server, clientID: "open", key: try TestKey.p256(2)))
        let end = server.clock.now() + .seconds(3600)
        let first = try await app.signIn().tokens.string("refresh_token")
        server.clock.set(to: end - .seconds(10))
        let tokens = try await app.client.refresh(first)
        #expect(tokens.json["expires_in"] == 10, "\(tokens.text)")
        server.clock.set(to: end)
        expect(try await app.client.refresh(try tokens.string("refresh_token")), isError: "invalid_grant")
    }

    @Test func `a token exchange gives nothing that outlives the grant of the user`() async throws {
        let server = try await ExchangeClient.server { $0.lifetimes.grant = .seconds(3600) }
        let (client, backend) = (try FakeClient(server), try ExchangeClient(server))
        let end = server.clock.now() + .seconds(3600)
        let first = try await ExchangeClient.personsToken(server).string("refresh_token")
        server.clock.set(to: end - .seconds(10))
        let token = try await client.refresh(first).string("access_token")
        server.clock.set(to: end - .seconds(4))
        let exchanged = try await backend.exchange(token)
        #expect(exchanged.json["expires_in"] == 4, "\(exchanged.text)")
        #expect(try exchanged.claims()["exp"] == .number(JSONNumber(end.secondsSince1970)))
    }

    @Test func `a token of a client for itself has no sign-in, and is valid for as long as ever`() async throws {
        let server = try await ConfidentialClient.server { $0.lifetimes.grant = .seconds(300) }
        let client = try ConfidentialClient(server, "basic")
        server.clock.advance(by: .seconds(7 * 86_400))
        #expect(try await client.tokens(fields: client.basic).json["expires_in"] == 300)
    }
}

@Suite("RFC 9700 section 4.14.2: the greatest age is for earlier grants too")
struct EarlierGrantAgeTests {
    @Test func `a server that is started again with the setting ends the grants that are old enough`() async throws {
        let storage = MemoryAuthorizationStorage()
        let clients = [try ConfidentialClient.registration("basic", .clientSecretBasic)]
        let before = try await ServerUnderTest.inMemory(clients: clients, storage: storage)
        let credentials = try ConfidentialClient(before, "basic").basic
        let client = FakeClient(before, clientID: "basic", key: try TestKey.p256(2), standing: credentials)
        let end = before.clock.now() + .seconds(3600)
        let token = try await client.signIn().string("refresh_token")

        let after = try await ServerUnderTest.inMemory(
            clients: clients,
            storage: storage,
            entropy: SeededEntropy(seed: 9)
        ) { $0.lifetimes.grant = .seconds(3600) }
        let later = FakeClient(after, clientID: "basic", key: try TestKey.p256(2), standing: credentials)
        after.clock.set(to: end - .seconds(10))
        let answer = await (try ConfidentialClient(after, "basic")).introspect(token).json
        #expect(answer["active"] == true && answer["exp"] == .number(JSONNumber(end.secondsSince1970)))
        after.clock.set(to: end)
        #expect(await (try ConfidentialClient(after, "basic")).introspect(token).json == ["active": false])
        expect(try await later.refresh(token), isError: "invalid_grant")
    }
}
