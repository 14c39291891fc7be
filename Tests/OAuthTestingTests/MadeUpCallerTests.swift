// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthTesting
import ResourceServer
import StrictJSON
import Testing

@Suite struct MadeUpCallerTests {
    @Test func `a handler gets what a guard would have made of such a token`() throws {
        let caller = try AuthorizedRequest.forTests(
            subject: "subject-of-ada",
            scopes: ["notes:read", "notes:write"],
            clientID: "notes-app",
            claims: ["acr": "urn:example:two-factors", "auth_time": 1_790_000_000]
        )
        #expect(caller.subject == "subject-of-ada" && caller.clientID == "notes-app")
        #expect(try caller.scope == Scope(["notes:read", "notes:write"]))
        #expect(caller.responseFields.all.isEmpty)
        #expect(caller.claims.subject == "subject-of-ada" && caller.claims.string("client_id") == "notes-app")
        #expect(caller.claims.string("scope") == "notes:read notes:write")
        #expect(caller.claims.string("acr") == "urn:example:two-factors")
        let thumbprint = try #require(caller.binding.thumbprint)
        #expect(caller.claims.object["cnf"] == ["jkt": .string(thumbprint.description)])
    }

    @Test func `a bearer token is bound to nothing, and without scopes there is no scope`() throws {
        let caller = try AuthorizedRequest.forTests(binding: .nothing)
        #expect(caller.subject == "ada" && caller.clientID == "my-app" && caller.binding == .nothing)
        #expect(caller.scope.isEmpty && caller.claims.object["scope"] == nil && caller.claims.object["cnf"] == nil)
    }

    @Test func `the parameters cannot be contradicted by claims`() throws {
        let claims: JSONObject = ["sub": "bob", "client_id": "other", "scope": "admin", "cnf": ["jkt": "x"]]
        let caller = try AuthorizedRequest.forTests(subject: "ada", claims: claims, binding: .nothing)
        #expect(caller.subject == "ada" && caller.claims.subject == "ada" && caller.clientID == "my-app")
        #expect(caller.claims.object["scope"] == nil && caller.claims.object["cnf"] == nil)
    }

    @Test func `a scope that is none, and a claim of the wrong type, are errors of the test`() {
        #expect(throws: OAuthTestingError.self) { try AuthorizedRequest.forTests(scopes: ["a b"]) }
        #expect(throws: OAuthTestingError.self) { try AuthorizedRequest.forTests(claims: ["exp": "tomorrow"]) }
    }

    @Test func `no guard takes it for its own result`() async throws {
        let server = try await FakeAuthorizationServer()
        let configuration = GuardConfiguration(
            issuer: server.issuer,
            address: try URI(parsing: server.apiAddress),
            tokenAlgorithms: [.edDSA]
        )
        let apiGuard = try RequestGuard(configuration: configuration, keys: server.keys, clock: server.clock)
        let caller = try AuthorizedRequest.forTests(scopes: ["api:read"])
        let requirement = GuardRequirement(scope: try Scope(["api:read"]))
        // What this guard itself had accepted, it would not check again, neither token nor proof.
        let fields: HTTPFields = ["Authorization": "DPoP no-token", "DPoP": "no proof"]
        let request = HTTPRequest(target: "/notes", fields: fields)
        let decision = await apiGuard.check(request, for: requirement, after: caller)
        guard case .rejected(let rejection) = decision else {
            Issue.record("a guard accepted a request that nobody has checked")
            return
        }
        #expect(rejection.response.status == 401)
    }
}
