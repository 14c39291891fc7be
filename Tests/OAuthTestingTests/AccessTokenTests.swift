// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import OAuthTesting
import ResourceServer
import StrictJSON
import Testing

@Suite struct AccessTokenTests {
    /// A server, a fake API, and a caller with a key.
    private struct Stage {
        let server: FakeAuthorizationServer
        let api: FakeResourceServer
        let caller: DPoPContext

        init() async throws {
            server = try await FakeAuthorizationServer()
            api = try FakeResourceServer(for: server)
            try api.route("GET", "/notes", needing: ["api:read"]) { _, caller in
                HTTPResponse(status: 200, body: Array("\(caller.subject) with \(caller.clientID)".utf8))
            }
            caller = DPoPContext(key: try SoftwareSigningKey(), clock: server.clock)
        }

        /// Sends a request, and once more with the nonce that the API requires.
        func call(with token: AccessToken) async throws -> HTTPResponse {
            let url = server.apiAddress + "/notes"
            var response = HTTPResponse(status: 500)
            for _ in 0..<2 {
                let proof = try await caller.proof(
                    method: "GET",
                    uri: try URI(parsing: url),
                    accessToken: token.value,
                    role: .resourceServer
                )
                let fields: HTTPFields = ["Authorization": "DPoP \(token.value)", "DPoP": proof.value]
                response = try await server.send(HTTPRequest(target: url, fields: fields), maximumBodySize: 1000)
                if response.status != 401 || !caller.learn(from: response.fields, for: proof) { break }
            }
            return response
        }
    }

    @Test func `a token without a sign-in is for whomever the test says`() async throws {
        let stage = try await Stage()
        let token = try await stage.server.accessToken(
            for: "somebody",
            scopes: ["api:read"],
            clientID: "some-app",
            boundTo: stage.caller.key
        )
        let response = try await stage.call(with: token)
        #expect(response.status == 200 && response.body == Array("somebody with some-app".utf8))
    }

    @Test func `it has the claims of a token of this server, and those of the test`() async throws {
        let stage = try await Stage()
        let token = try await stage.server.accessToken(
            for: "ada",
            scopes: ["api:read", "mail:read"],
            claims: ["acr": "urn:example:two-factors", "auth_time": 1_700_000_000, "sub": "bob"],
            boundTo: stage.caller.key
        )
        let claims = try CompactJWS(parsing: token.value).payloadObject()
        let now = stage.server.clock.now().secondsSince1970
        #expect(claims["iss"] == "https://auth.example" && claims["aud"] == "https://api.example")
        #expect(claims["sub"] == "ada" && claims["client_id"] == "my-app" && claims["scope"] == "api:read mail:read")
        #expect(claims["iat"] == .number(JSONNumber(now)) && claims["exp"] == .number(JSONNumber(now + 120)))
        #expect(claims["acr"] == "urn:example:two-factors" && claims["auth_time"] == 1_700_000_000)
        #expect(claims["cnf"] == ["jkt": .string(stage.caller.thumbprint.description)])
        let bearer = try await stage.server.accessToken(for: "ada", boundTo: nil)
        let others = try CompactJWS(parsing: bearer.value).payloadObject()
        #expect(others["cnf"] == nil && others["scope"] == nil && others["jti"] != claims["jti"])
    }

    @Test func `it ends with its lifetime, and with the key that signed it`() async throws {
        let stage = try await Stage()
        let expired = try await stage.server.accessToken(for: "ada", scopes: ["api:read"], boundTo: stage.caller.key)
        stage.server.expireAccessTokens()
        #expect(try await stage.call(with: expired).status == 401)
        let token = try await stage.server.accessToken(for: "ada", scopes: ["api:read"], boundTo: stage.caller.key)
        #expect(try await stage.call(with: token).status == 200)
        try stage.server.rotateSigningKey()
        #expect(try await stage.call(with: token).status == 401)
        let next = try await stage.server.accessToken(for: "ada", scopes: ["api:read"], boundTo: stage.caller.key)
        #expect(try await stage.call(with: next).status == 200)
    }

    @Test func `a route that requires a recent sign-in can be tested`() async throws {
        let server = try await FakeAuthorizationServer()
        var configuration = GuardConfiguration(
            issuer: server.issuer,
            address: try URI(parsing: server.apiAddress),
            tokenAlgorithms: [.edDSA]
        )
        configuration.acceptsTokensThatAreBoundToNothing = true
        let apiGuard = try RequestGuard(configuration: configuration, keys: server.keys, clock: server.clock)
        let requirement = GuardRequirement(scope: try Scope(["api:read"]), maximumAge: .seconds(300))
        for (age, isAccepted) in [(Int64(60), true), (3600, false)] {
            let time = JSONNumber(server.clock.now().secondsSince1970 - age)
            let token = try await server.accessToken(
                for: "ada",
                scopes: ["api:read"],
                claims: ["auth_time": .number(time)],
                boundTo: nil
            )
            let request = HTTPRequest(target: "/notes", fields: ["Authorization": "Bearer \(token.value)"])
            let decision = await apiGuard.check(request, for: requirement)
            if case .accepted = decision { #expect(isAccepted, "\(age)") } else { #expect(!isAccepted, "\(age)") }
        }
    }

    @Test func `a scope that is none is an error of the test`() async throws {
        let server = try await FakeAuthorizationServer()
        await #expect(throws: OAuthTestingError.self) {
            try await server.accessToken(for: "ada", scopes: ["a\"b"], boundTo: nil)
        }
    }
}
