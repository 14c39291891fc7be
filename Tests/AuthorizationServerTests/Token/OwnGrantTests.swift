// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Grants that clients have for themselves and that are not stored")
struct OwnGrantTests {
    /// A server, and a token of the client `basic` for itself.
    private static func token(
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> (ServerUnderTest, ConfidentialClient, token: String) {
        let server = try await ConfidentialClient.server(change)
        let client = try ConfidentialClient(server, "basic")
        return (server, client, try await client.tokens(fields: client.basic).string("access_token"))
    }

    private static func grantID(of token: String) throws -> String {
        try #require(try CompactJWS(parsing: token).payloadObject()["grant_id"]?.stringValue)
    }

    @Test func `the token names its grant, and is asked about like any other`() async throws {
        let (_, client, token) = try await Self.token()
        #expect(ClientCredentialsGrantID(try Self.grantID(of: token)) != nil)
        let answer = await client.introspect(token).json
        #expect(answer["active"] == true && answer["sub"] == "basic" && answer["grant_id"] == nil)
    }

    @Test func `revoking a token ends it alone, and only for its client`() async throws {
        let (server, client, token) = try await Self.token()
        let other = try await client.tokens(fields: client.basic).string("access_token")
        let stranger = try ConfidentialClient(server, "api")
        _ = await server.post("/revoke", ["token": token], fields: stranger.basic)
        #expect(await client.introspect(token).json["active"] == true)
        #expect(await server.post("/revoke", ["token": token], fields: client.basic).status == 200)
        #expect(await client.introspect(token).json == ["active": false])
        #expect(await client.introspect(other).json["active"] == true)
    }

    @Test func `it ends with its client, and with all grants`() async throws {
        let (server, _, token) = try await Self.token()
        let administration = ServerAdministration(storage: server.storage, clock: server.clock, entropy: server.entropy)
        let api = try ConfidentialClient(server, "api")
        #expect(await api.introspect(token).json["active"] == true)
        _ = try await administration.revokeAllGrants()
        #expect(await api.introspect(token).json == ["active": false])
        let client = try ConfidentialClient(server, "basic")
        let next = try await client.tokens(fields: client.basic).string("access_token")
        #expect(await api.introspect(next).json["active"] == true)
        try await administration.removeClient("basic")
        #expect(await api.introspect(next).json == ["active": false])
        try await administration.addClient(
            ConfidentialClient.registration("basic", .clientSecretBasic) { $0.registrationID = nil }
        )
        #expect(await api.introspect(next).json == ["active": false])
    }

    @Test func `an operator revokes one by its identifier, which the audit log has`() async throws {
        let (server, client, token) = try await Self.token()
        let administration = ServerAdministration(storage: server.storage, clock: server.clock, entropy: server.entropy)
        try await administration.revokeGrant(Self.grantID(of: token))
        #expect(await client.introspect(token).json == ["active": false])
        await #expect(throws: AuthorizationServerError.self) {
            try await administration.revokeGrant(Self.grantID(of: token))
        }
    }

    @Test func `the grant of an opaque token is stored, as its token is`() async throws {
        let (server, client, token) = try await Self.token { configuration in
            configuration.resources = [ProtectedResource(address: ServerUnderTest.audience, tokenFormat: .opaque)]
        }
        #expect(token.hasPrefix("kba_"))
        #expect(try await server.storage.grants(of: "basic").count == 1)
        #expect(await client.introspect(token).json["active"] == true)
        _ = await server.post("/revoke", ["token": token], fields: client.basic)
        #expect(await client.introspect(token).json == ["active": false])
    }

    @Test func `a client that was stored without a registration has its grants stored`() async throws {
        let registration = try ConfidentialClient.registration("old", .clientSecretBasic) { $0.registrationID = nil }
        let server = try await ServerUnderTest.inMemory(clients: [registration])
        let client = try ConfidentialClient(server, "old")
        let token = try await client.tokens(fields: client.basic).string("access_token")
        #expect(try await server.storage.grants(of: "old").map(\.id) == [Self.grantID(of: token)])
        #expect(await client.introspect(token).json["active"] == true)
    }

    @Test func `an identifier is read back, and anything else is none`() {
        let now = Timestamp(millisecondsSince1970: 1_790_000_000_123)
        let id = ClientCredentialsGrantID(
            registrationID: "r",
            revocations: 2,
            issuedAt: now,
            endsAt: now + .seconds(5),
            name: "n"
        )
        #expect(id.description == "own.r.2.1790000000123.1790000005123.n")
        #expect(ClientCredentialsGrantID(id.description) == id)
        for other in [
            "", "own.", "own.r.2.1.2", "own.r.2.1.2.n.", "own.r.02.1.2.n", "own.r.+2.1.2.n", "own.r.x.1.2.n",
            "r.2.1.2.n",
            "own.r.2.1.2.e\u{301}" + String(repeating: "n", count: 256), "own.r.2.99999999999999999999.2.n",
        ] {
            #expect(ClientCredentialsGrantID(other) == nil, "\(other)")
        }
    }
}
