// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@Suite("A token for another one, RFC 8693")
struct TokenExchangeTests {
    @Test func `an API acts for a person: the result says so, is bound to its key, and has no more in it`() async throws
    {
        let server = try await ExchangeClient.server()
        let backend = try ExchangeClient(server)
        let token = try await ExchangeClient.personsToken(server)
        server.clock.advance(by: .seconds(100))
        let response = try await backend.exchange(token.string("access_token"))
        #expect(response.status == 200, "\(response.text)")
        #expect(response.json["issued_token_type"] == .string(ExchangeClient.accessToken))
        #expect(response.json["token_type"] == "DPoP" && response.json["scope"] == "api:read")
        #expect(response.json["expires_in"] == 200, "not longer than the subject token")
        #expect(response.json["refresh_token"] == nil && response.json["id_token"] == nil)
        let (claims, subject) = (try response.claims(), try token.claims())
        #expect(claims["sub"] == "subject-of-ada" && claims["client_id"] == "backend")
        #expect(claims["act"] == ["sub": "backend"])
        #expect(claims["cnf"] == ["jkt": .string(backend.prover.thumbprint)])
        #expect(claims["exp"] == subject["exp"] && claims["auth_time"] == subject["auth_time"])
        #expect(claims["acr"] == subject["acr"] && claims["jti"] != subject["jti"])
        #expect(claims["grant_id"] != subject["grant_id"])
    }

    @Test func `actors are named one within the other, up to eight`() async throws {
        let server = try await ExchangeClient.server()
        let (first, second) = (try ExchangeClient(server), try ExchangeClient(server, "silent", key: 5))
        let token = try await ExchangeClient.personsToken(server).string("access_token")
        let once = try await first.exchange(token)
        let actor = try await second.ownToken()
        let named: FormParameters = ["actor_token": actor, "actor_token_type": ExchangeClient.accessToken]
        let twice = try await second.exchange(once.string("access_token"), named)
        #expect(try twice.claims()["act"] == ["sub": "silent", "act": ["sub": "backend"]])
        var response = twice
        let relay = try ExchangeClient(server, "relay", key: 6)
        for number in 3...8 {
            let next = number.isMultiple(of: 2) ? relay : first
            response = try await next.exchange(response.string("access_token"))
            #expect(response.status == 200, "\(number)")
        }
        expect(try await first.exchange(response.string("access_token")), isError: "invalid_request")
    }

    // Neither exchange adds an actor: the limit is the number of grants that every use of the token reads.
    @Test(arguments: ["careful", "silent"])
    func `a token is exchanged eight times in a row, also by a client that is not named`(_ name: String) async throws {
        let server = try await ExchangeClient.server()
        let (client, backend) = (try ExchangeClient(server, name, key: 5), try ExchangeClient(server))
        let first =
            name == "careful"
            ? try await client.ownToken() : try await ExchangeClient.personsToken(server).string("access_token")
        var token = first
        for number in 1...8 {
            let response = try await client.exchange(token)
            #expect(response.status == 200, "\(number): \(response.text)")
            token = try response.string("access_token")
        }
        expect(try await client.exchange(token), isError: "invalid_request")
        #expect(await backend.credentials.introspect(token).json["active"] == true)
        #expect(try await client.exchange(first).status == 200)
    }

    @Test func `who has the right for it is not named, but those before it still are`() async throws {
        let server = try await ExchangeClient.server()
        let (backend, silent) = (try ExchangeClient(server), try ExchangeClient(server, "silent", key: 5))
        let token = try await ExchangeClient.personsToken(server).string("access_token")
        let claims = try await silent.exchange(token).claims()
        #expect(claims["act"] == nil && claims["sub"] == "subject-of-ada" && claims["client_id"] == "silent")
        let second = try await silent.exchange(backend.exchange(token).string("access_token")).claims()
        #expect(second["act"] == ["sub": "backend"])
    }

    @Test func `a client takes scope from its own token, and acts for nobody by that`() async throws {
        let server = try await ExchangeClient.server()
        let careful = try ExchangeClient(server, "careful")
        let own = try await careful.ownToken()
        let response = try await careful.exchange(own, ["scope": "api:read", "audience": ServerUnderTest.audience])
        #expect(response.status == 200, "\(response.text)")
        let claims = try response.claims()
        #expect(claims["sub"] == "careful" && claims["act"] == nil && claims["auth_time"] == nil)
    }

    @Test func `a token that was exchanged is introspected, revoked alone, and ends with its origin`() async throws {
        let server = try await ExchangeClient.server()
        let backend = try ExchangeClient(server)
        let app = try FakeClient(server)
        let persons = try await ExchangeClient.personsToken(server)
        let token = try persons.string("access_token")
        let (first, second) = (
            try await backend.exchange(token).string("access_token"),
            try await backend.exchange(token).string("access_token")
        )
        #expect(await backend.credentials.introspect(first).json["active"] == true)
        _ = await server.post("/revoke", ["token": first], fields: backend.credentials.basic)
        #expect(await backend.credentials.introspect(first).json["active"] == false)
        #expect(await backend.credentials.introspect(second).json["active"] == true)
        #expect(await backend.credentials.introspect(token).json["active"] == true)
        _ = await server.post("/revoke", ["token": try persons.string("refresh_token"), "client_id": app.clientID])
        #expect(await backend.credentials.introspect(second).json["active"] == false)
        expect(try await backend.exchange(second), isError: "invalid_request")
    }

    @Test func `who is named in may_act acts, and nobody else`() async throws {
        let server = try await ExchangeClient.server()
        let token = try await ExchangeClient.personsToken(server).string("access_token")
        // The stranger is the server of no API; without a key nothing has to be proved.
        func naming(_ value: JSONValue) async throws -> String {
            try await ExchangeClient.changed(token) { claims in
                claims["may_act"] = value
                claims["cnf"] = nil
            }
        }
        let (stranger, backend) = (try ExchangeClient(server, "stranger"), try ExchangeClient(server))
        let named = try await naming(["sub": "stranger", "iss": .string(ServerUnderTest.issuer)])
        let response = try await stranger.exchange(named)
        #expect(try response.claims()["act"] == ["sub": "stranger"])
        #expect(try response.claims()["may_act"]?.objectValue?["sub"] == "stranger", "it still holds")
        expect(try await backend.exchange(named), isError: "invalid_request")
        let refused: [JSONValue] = [
            ["sub": "stranger", "iss": "https://other.example.com"], ["sub": "stranger", "email": "a@example.com"],
            ["sub": ["stranger"]], ["iss": .string(ServerUnderTest.issuer)], "stranger", [:], .null,
        ]
        for value in refused {
            expect(try await stranger.exchange(naming(value)), isError: "invalid_request")
        }
    }

    // MARK: What is refused

    @Test func `attack 61, public clients and those that are not registered for it exchange nothing`() async throws {
        let server = try await ExchangeClient.server()
        let token = try await ExchangeClient.personsToken(server).string("access_token")
        let parameters: FormParameters = [
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": token,
            "subject_token_type": ExchangeClient.accessToken,
        ]
        let app = try FakeClient(server)
        expect(
            try await app.post("/token", parameters.adding("client_id", "app")),
            isError: "unauthorized_client"
        )
        let unknown = parameters.adding("client_id", "backend")
        expect(await server.post("/token", unknown), isError: "invalid_client")
    }

    @Test func `a token that is bound to a key of somebody else is taken from the server of its API only`() async throws
    {
        let server = try await ExchangeClient.server()
        let token = try await ExchangeClient.personsToken(server).string("access_token")
        for name in ["careful", "stranger", "stranger-with-right"] {
            expect(try await ExchangeClient(server, name).exchange(token), isError: "invalid_request")
        }
        // With the key of the token it is no token of somebody else.
        #expect(try await ExchangeClient(server, "careful", key: 2).exchange(token).status == 200)
    }

    @Test func `attack 60, a bound token is never exchanged for a bearer token`() async throws {
        let server = try await ExchangeClient.server { $0.requireDPoP = false }
        let token = try await ExchangeClient.personsToken(server).string("access_token")
        expect(try await ExchangeClient(server, "bearer", key: nil).exchange(token), isError: "invalid_dpop_proof")
        let strict = try ExchangeClient(server, "backend", key: nil)
        expect(try await strict.exchange(token), isError: "invalid_dpop_proof")
    }

    @Test func `a confirmation that cannot be checked is not passed over`() async throws {
        let server = try await ExchangeClient.server()
        let token = try await ExchangeClient.personsToken(server).string("access_token")
        for confirmation: JSONValue in [["x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"], "x", .null] {
            let changed = try await ExchangeClient.changed(token) { $0["cnf"] = confirmation }
            expect(try await ExchangeClient(server, "careful").exchange(changed), isError: "invalid_request")
        }
    }

    @Test func `scope and target only become narrower`() async throws {
        let server = try await ExchangeClient.server()
        let backend = try ExchangeClient(server)
        let token = try await ExchangeClient.personsToken(server).string("access_token")
        // The subject token has it, the client is not registered for it.
        expect(try await backend.exchange(token, ["scope": "api:write"]), isError: "invalid_scope")
        let narrow = try await ExchangeClient.changed(token) { $0["scope"] = "api:write" }
        expect(try await backend.exchange(narrow, ["scope": "api:read"]), isError: "invalid_scope")
        #expect(try await backend.exchange(narrow).json["scope"] == nil)
        for name in ["audience", "resource"] {
            expect(try await backend.exchange(token, [name: "https://other.example.com"]), isError: "invalid_target")
            #expect(try await backend.exchange(token, [name: ServerUnderTest.audience]).status == 200)
        }
        // Named both ways it is one audience.
        let both: FormParameters = ["audience": ServerUnderTest.audience, "resource": ServerUnderTest.audience]
        #expect(try await backend.exchange(token, both).claims()["aud"] == .string(ServerUnderTest.audience))
    }

    @Test func `a token is exchanged for the APIs that it is for, whatever else was granted, in the form they take`()
        async throws
    {
        let vault = "https://vault.example.com"
        let server = try await ExchangeClient.server { configuration in
            configuration.resources = [
                ProtectedResource(address: vault, tokenFormat: .opaque, accessTokenLifetime: .seconds(60))
            ]
        }
        let (backend, app) = (try ExchangeClient(server), try FakeClient(server))
        var attempt = app.attempt()
        for resource in [ServerUnderTest.audience, vault] { attempt.parameters.append("resource", resource) }
        var exchange = app.exchange(try await app.code(for: attempt), attempt)
        exchange.append("resource", ServerUnderTest.audience)
        let token = try await app.post("/token", exchange).string("access_token")
        // Granted to the app, and yet not what this token is for.
        expect(try await backend.exchange(token, ["resource": vault]), isError: "invalid_target")
        let both = try await ExchangeClient.changed(token) { claims in
            claims["aud"] = .strings([ServerUnderTest.audience, vault])
        }
        expect(try await backend.exchange(both), isError: "invalid_target")
        let opaque = try await backend.exchange(both, ["resource": vault])
        #expect(try opaque.string("access_token").hasPrefix("kba_") && opaque.json["expires_in"] == 60)
        server.clock.advance(by: .seconds(20))
        let again = try await backend.exchange(opaque.string("access_token"))
        #expect(again.status == 200 && again.json["expires_in"] == 40, "\(again.text)")
        server.clock.advance(by: .seconds(40))
        expect(try await backend.exchange(opaque.string("access_token")), isError: "invalid_request")
    }

    @Test func `attacks 107 to 112: what an API would not take is not exchanged`() async throws {
        let server = try await ExchangeClient.server()
        let backend = try ExchangeClient(server)
        let response = try await ExchangeClient.personsToken(server)
        let token = try response.string("access_token")
        let changes: [(inout JSONObject) -> Void] = [
            { $0["aud"] = "https://other.example.com" }, { $0["iss"] = "https://other.example.com" },
            { $0["exp"] = 1 }, { $0["exp"] = nil }, { $0["grant_id"] = "other" }, { $0["grant_id"] = nil },
            { $0["nbf"] = 99_999_999_999 }, { $0["sub"] = nil },
        ]
        var tokens = [try response.string("refresh_token"), "x", token + "A"]
        for change in changes { tokens.append(try await ExchangeClient.changed(token, change)) }
        for bad in tokens { expect(try await backend.exchange(bad), isError: "invalid_request") }
        server.clock.advance(by: .seconds(300))
        expect(try await backend.exchange(token), isError: "invalid_request")
    }

    @Test func `types and parameters that are missing or unknown are rejected`() async throws {
        let server = try await ExchangeClient.server()
        let backend = try ExchangeClient(server)
        let token = try await ExchangeClient.personsToken(server).string("access_token")
        let changes: [(FormParameters) -> FormParameters] = [
            { $0.with("subject_token", nil) }, { $0.with("subject_token_type", nil) },
            { $0.with("subject_token_type", "urn:ietf:params:oauth:token-type:jwt") },
            { $0.with("subject_token", nil).with("subject_token_type", nil) },
            { $0.adding("actor_token_type", ExchangeClient.accessToken) },
            { $0.adding("actor_token", token) },
            { $0.adding("requested_token_type", "urn:ietf:params:oauth:token-type:refresh_token") },
            { $0.adding("subject_token", token) },
        ]
        for change in changes {
            expect(try await backend.exchange(token, [:], change), isError: "invalid_request")
        }
        let asked = try await backend.exchange(token, ["requested_token_type": ExchangeClient.accessToken])
        #expect(asked.status == 200)
    }

    @Test func `an actor token is the client's own, with its key`() async throws {
        let server = try await ExchangeClient.server()
        let (backend, other) = (try ExchangeClient(server), try ExchangeClient(server, "silent", key: 5))
        let token = try await ExchangeClient.personsToken(server).string("access_token")
        func acting(_ actor: String) async throws -> HTTPResponse {
            try await backend.exchange(
                token,
                ["actor_token": actor, "actor_token_type": ExchangeClient.accessToken]
            )
        }
        #expect(try await acting(backend.ownToken()).claims()["act"] == ["sub": "backend"])
        expect(try await acting(other.ownToken()), isError: "invalid_request")
        expect(try await acting(token), isError: "invalid_request")
        let ofOtherKey = try ExchangeClient(server, "backend", key: 6)
        expect(try await acting(ofOtherKey.ownToken()), isError: "invalid_request")
    }
}
