// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthTesting
import ResourceServer
import StrictJSON
import Testing

/// An API: its guard checks each request before a handler sees it.
struct NotesAPI {
    let apiGuard: RequestGuard
    let reading: GuardRequirement

    init(guardedBy apiGuard: RequestGuard) throws {
        self.apiGuard = apiGuard
        reading = GuardRequirement(scope: try Scope(["notes:read"]))
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        switch await apiGuard.check(request, for: reading) {
        case .rejected(let rejection):
            return rejection.response
        case .accepted(let caller):
            var response = Self.notes(for: caller)
            for field in caller.responseFields.all { response.fields[field.name] = field.value }
            return response
        }
    }
}

extension NotesAPI {
    /// A handler: it learns who the caller is, and nothing of tokens, proofs and nonces.
    static func notes(for caller: AuthorizedRequest) -> HTTPResponse {
        let end = caller.scope.contains("notes:write") ? ", to read and to change" : ", to read"
        return HTTPResponse(status: 200, body: Array("notes of \(caller.subject)\(end)".utf8))
    }
}

/// The handler alone: no server, no key, no signature.
struct NotesHandlerTests {
    @Test func `who may change notes is told so`() throws {
        let reader = try AuthorizedRequest.forTests(subject: "ada", scopes: ["notes:read"])
        #expect(NotesAPI.notes(for: reader).body == Array("notes of ada, to read".utf8))
        let editor = try AuthorizedRequest.forTests(subject: "bob", scopes: ["notes:read", "notes:write"])
        #expect(NotesAPI.notes(for: editor).body == Array("notes of bob, to read and to change".utf8))
    }
}

/// The API with its guard: real tokens of a server in the process of the test, and real proofs.
struct NotesAPITests {
    let server: FakeAuthorizationServer
    let api: NotesAPI
    /// The caller: a key, and the nonces that it was given.
    let caller: DPoPContext

    init() async throws {
        server = try await FakeAuthorizationServer()
        let configuration = GuardConfiguration(
            issuer: server.issuer,
            address: try URI(parsing: server.apiAddress),
            tokenAlgorithms: [.edDSA]
        )
        api = try NotesAPI(
            guardedBy: RequestGuard(configuration: configuration, keys: server.keys, clock: server.clock)
        )
        caller = DPoPContext(key: try SoftwareSigningKey(), clock: server.clock)
    }

    /// Sends a request as clients do: with a proof, and once more with the nonce that the guard requires.
    func call(with token: AccessToken, by caller: DPoPContext) async throws -> HTTPResponse {
        let uri = try URI(parsing: server.apiAddress + "/notes")
        var response = HTTPResponse(status: 500)
        for _ in 0..<2 {
            let proof = try await caller.proof(
                method: "GET",
                uri: uri,
                accessToken: token.value,
                role: .resourceServer
            )
            let fields: HTTPFields = ["Authorization": "DPoP \(token.value)", "DPoP": proof.value]
            response = await api.respond(to: HTTPRequest(target: "/notes", fields: fields))
            if response.status != 401 || !caller.learn(from: response.fields, for: proof) { break }
        }
        return response
    }

    @Test func `the scope decides`() async throws {
        let token = try await server.accessToken(for: "ada", scopes: ["notes:read"], boundTo: caller.key)
        let response = try await call(with: token, by: caller)
        #expect(response.status == 200 && response.body == Array("notes of ada, to read".utf8))
        let other = try await server.accessToken(for: "ada", scopes: ["mail:read"], boundTo: caller.key)
        #expect(try await call(with: other, by: caller).status == 403)
    }

    @Test func `an expired token is rejected, and so is one for another API`() async throws {
        let token = try await server.accessToken(for: "ada", scopes: ["notes:read"], boundTo: caller.key)
        server.expireAccessTokens()
        #expect(try await call(with: token, by: caller).status == 401)
        let elsewhere = try await server.accessToken(
            for: "ada",
            scopes: ["notes:read"],
            claims: ["aud": "https://mail.example"],
            boundTo: caller.key
        )
        #expect(try await call(with: elsewhere, by: caller).status == 401)
    }

    @Test func `a stolen token is useless without its key`() async throws {
        let token = try await server.accessToken(for: "ada", scopes: ["notes:read"], boundTo: caller.key)
        let thief = DPoPContext(key: try SoftwareSigningKey(), clock: server.clock)
        #expect(try await call(with: token, by: thief).status == 401)
        #expect(try await call(with: token, by: caller).status == 200)
    }
}
