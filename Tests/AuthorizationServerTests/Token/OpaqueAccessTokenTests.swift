// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthCrypto
import OAuthSystem
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Opaque access tokens, and introspection of them")
struct OpaqueAccessTokenTests {
    private typealias Server = ResourcefulServer
    private static let inactive: JSONObject = ["active": false]

    @Test func `the API learns what a JWT would say, with the key that the token is bound to`() async throws {
        let server = try await Server.make()
        let client = try Server.client(server)
        let attempt = client.attempt(scope: "vault:open", resources: [Server.vault])
        let response = try await client.tokens(for: attempt)
        #expect(response.json["token_type"] == "DPoP" && response.json["expires_in"] == 60)
        let token = try response.string("access_token")
        #expect(token.utf8.count == 74)
        let answer = await (try ConfidentialClient(server, "vault-api")).introspect(token).json
        #expect(answer["active"] == true && answer["token_type"] == "DPoP")
        #expect(answer["aud"] == .string(Server.vault) && answer["client_id"] == "rich")
        #expect(answer["sub"] == "subject-of-ada" && answer["scope"] == "vault:open")
        #expect(answer["cnf"] == ["jkt": .string(client.thumbprint)])
        #expect(answer["exp"] == .number(JSONNumber(server.clock.now().secondsSince1970 + 60)))
        #expect(answer["grant_id"] == nil)
        server.clock.advance(by: .seconds(60))
        #expect(await (try ConfidentialClient(server, "vault-api")).introspect(token).json == Self.inactive)
    }

    @Test func `attack 111, at_revoked_seen_by_introspecting_rs`() async throws {
        let server = try await Server.make()
        let (client, api) = (try Server.client(server), try ConfidentialClient(server, "vault-api"))
        for name in ["access_token", "refresh_token"] {
            let tokens = try await client.tokens(for: client.attempt(scope: nil, resources: [Server.vault]))
            let token = try tokens.string("access_token")
            #expect(await api.introspect(token).json["active"] == true)
            let other: FormParameters = ["client_id": "other", "token": try tokens.string(name)]
            #expect(await server.post("/revoke", other).status == 200)
            #expect(await api.introspect(token).json["active"] == true)
            let own: FormParameters = ["client_id": "rich", "token": try tokens.string(name)]
            #expect(await server.post("/revoke", own).status == 200)
            let answer = await api.introspect(token)
            #expect(answer.json == Self.inactive, "\(answer.text)")
        }
    }

    @Test func `a code that is used twice ends the token that was given out for it`() async throws {
        let server = try await Server.make()
        let (client, api) = (try Server.client(server), try ConfidentialClient(server, "vault-api"))
        let attempt = client.attempt(scope: nil, resources: [Server.vault])
        let code = try await client.code(for: attempt)
        let token = try await client.redeem(code, attempt).string("access_token")
        expect(try await client.redeem(code, attempt), isError: "invalid_grant")
        #expect(await api.introspect(token).json == Self.inactive)
    }

    @Test func `a client's own token works too, and other APIs learn nothing`() async throws {
        let server = try await Server.make(clients: [
            try ConfidentialClient.registration("files-api", .clientSecretBasic) {
                $0.introspectionAudiences = [Server.files]
            }
        ])
        let service = try ConfidentialClient(server, "service")
        let asked = FormParameters().naming([Server.vault])
        let token = try await service.tokens(asked, fields: service.basic).string("access_token")
        #expect(token.hasPrefix("kba_"))
        #expect(await (try ConfidentialClient(server, "vault-api")).introspect(token).json["sub"] == "service")
        #expect(await service.introspect(token).json["active"] == true)
        #expect(await (try ConfidentialClient(server, "files-api")).introspect(token).json == Self.inactive)
        for wrong in [token + "x", "kba_", "kba_" + String(repeating: "A", count: 43)] {
            #expect(await service.introspect(wrong).json == Self.inactive)
        }
    }

    @Test func `what is stored is a hash`() async throws {
        let server = try await Server.make()
        let client = try Server.client(server)
        let attempt = client.attempt(scope: nil, resources: [Server.vault])
        let token = try await client.tokens(for: attempt).string("access_token")
        let secret = try #require(GrantSecret(token, as: .accessToken))
        let stored = try await server.storage.liveAccessToken(secret, at: server.clock.now())
        #expect(!"\(try #require(stored))".contains(token))
    }

    @Test func `userinfo takes them when the default API has them, and notices that they were revoked`() async throws {
        let server = try await Server.make { configuration in
            configuration.resources.append(ProtectedResource(address: Server.notes, tokenFormat: .opaque))
        }
        let client = try Server.client(server)
        let tokens = try await client.tokens(for: client.attempt(scope: "openid profile api:read"))
        #expect(tokens.json["id_token"] != nil)
        let token = try tokens.string("access_token")
        #expect(token.hasPrefix("kba_"))
        #expect(try await client.userInfo(token).json["preferred_username"] == "ada")
        #expect(try await client.userInfo("kba_x").status == 401)
        #expect(await server.post("/revoke", ["client_id": "rich", "token": token]).status == 200)
        #expect(try await client.userInfo(token).status == 401)
    }

    @Test func `RFC 9068 section 4, a token for another API is none for userinfo, and who has its key is told why`()
        async throws
    {
        let server = try await Server.make()
        let client = try Server.client(server)
        for (scope, resource) in [("files:read", Server.files), ("vault:open", Server.vault)] {
            let attempt = client.attempt(scope: "openid " + scope, resources: [resource])
            let token = try await client.tokens(for: attempt).string("access_token")
            #expect(try await Self.reason(client.userInfo(token))?.contains("without the parameter resource") == true)
            // A thief does not have the key.
            let stolen = try await Self.reason(client.with(key: TestKey.p256(7)).userInfo(token))
            #expect(stolen == "Invalid DPoP key binding")
            let fields: HTTPFields = ["Authorization": "Bearer " + token]
            let bare = await server.send(HTTPRequest(target: "/userinfo", fields: fields))
            #expect(try Self.reason(bare)?.contains("another API") == false)
            let plain = client.attempt(scope: scope, resources: [resource])
            let other = try await client.tokens(for: plain).string("access_token")
            for invalid in [other, token + "x"] {
                #expect(try await Self.reason(client.userInfo(invalid)) == "The access token is invalid or has expired")
            }
            server.clock.advance(by: .seconds(300))
            #expect(try await Self.reason(client.userInfo(token)) == "The access token is invalid or has expired")
        }
    }

    /// Why a request for userinfo got 401.
    private static func reason(_ response: HTTPResponse) throws -> String? {
        #expect(response.status == 401 && response.body.isEmpty)
        let challenges = try Challenge.parse(response.fields.values(for: "WWW-Authenticate"))
        let errors = challenges.filter { $0.value(for: "error") != nil }
        #expect(errors.map { $0.value(for: "error") } == ["invalid_token"])
        return errors.first?.value(for: "error_description")
    }
}

extension FakeClient {
    /// Asks who somebody is, with a proof and the nonce of that API.
    func userInfo(_ token: String, fields: HTTPFields = [:]) async throws -> HTTPResponse {
        let first = try await userInfo(token, nonce: nil, fields)
        guard let nonce = first.fields["DPoP-Nonce"], first.status == 401 else { return first }
        return try await userInfo(token, nonce: nonce, fields)
    }

    private func userInfo(_ token: String, nonce: String?, _ fields: HTTPFields) async throws -> HTTPResponse {
        let hash = Base64URL.encode(SHA256.hash(Array(token.utf8)).bytes)
        let proof = try await proof(for: "/userinfo") { claims in
            claims["htm"] = "GET"
            claims["ath"] = .string(hash)
            claims["nonce"] = nonce.map { .string($0) }
        }
        var fields = fields
        fields["Authorization"] = "DPoP " + token
        fields["DPoP"] = proof
        return await server.send(HTTPRequest(target: "/userinfo", fields: fields))
    }
}
