// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("Claims about users")
struct UserClaimsTests {
    // MARK: id_tokens and userinfo

    @Test func `OpenID Connect Core section 5.4, a scope releases its claims, and no others`() async throws {
        let claims = try await ClaimsServer()
        let tokens = try await claims.signIn("openid email api:read")
        let idToken = try await claims.idToken(tokens)
        #expect(idToken["email"] == "ada@example.com" && idToken["email_verified"] == true)
        for name in ["groups", "roles", "badge", "preferred_username"] { #expect(idToken[name] == nil, "\(name)") }
        #expect(
            try await claims.client.userInfo(tokens.string("access_token")).json
                == ["sub": "subject-of-ada", "email": "ada@example.com", "email_verified": true]
        )
    }

    @Test func `a scope that was not granted releases nothing`() async throws {
        let claims = try await ClaimsServer()
        let tokens = try await claims.signIn("openid api:read")
        let idToken = try await claims.idToken(tokens)
        for member in ClaimsServer.adas.members { #expect(idToken[member.name] == nil, "\(member.name)") }
        #expect(
            try await claims.client.userInfo(tokens.string("access_token")).json == ["sub": "subject-of-ada"]
        )
        // Nor does one that a refresh leaves out.
        let all = try await claims.signIn("openid groups api:read")
        let form = claims.client.refreshing(try all.string("refresh_token")).adding("scope", "openid api:read")
        let narrowed = try await claims.client.post("/token", form)
        #expect(try await claims.idToken(narrowed)["groups"] == nil)
    }

    @Test func `every user has claims of their own only`() async throws {
        let claims = try await ClaimsServer()
        try await claims.set(JSONObject(), of: "ada")
        let tokens = try await claims.signIn("openid email groups api:read")
        let idToken = try await claims.idToken(tokens)
        for member in ClaimsServer.adas.members { #expect(idToken[member.name] == nil, "\(member.name)") }
        let files = try await claims.signIn("groups files:read", [ClaimsServer.files])
        #expect(try files.accessTokenClaims()["groups"] == nil)
    }

    @Test func `OpenID Connect Discovery section 3, clients find what there may be`() async throws {
        let claims = try await ClaimsServer()
        let metadata = await claims.server.get("/.well-known/openid-configuration").json
        let supported = metadata["claims_supported"]?.arrayValue?.compactMap(\.stringValue)
        #expect(supported?.suffix(5) == ["preferred_username", "email", "email_verified", "groups", "roles"])
        #expect(metadata["scopes_supported"]?.arrayValue?.contains("groups") == true)
    }

    // MARK: Access tokens

    @Test func `RFC 9068 section 2.2.3, an API has the claims that it takes, if the scope was granted`() async throws {
        let claims = try await ClaimsServer()
        let files = try await claims.signIn("email groups files:read", [ClaimsServer.files]).accessTokenClaims()
        #expect(files["groups"] == ["admin", "staff"])
        for name in ["roles", "email", "email_verified", "badge"] { #expect(files[name] == nil, "\(name)") }
        let without = try await claims.signIn("files:read", [ClaimsServer.files]).accessTokenClaims()
        #expect(without["groups"] == nil)
        let notes = try await claims.signIn("openid email groups api:read").accessTokenClaims()
        for member in ClaimsServer.adas.members { #expect(notes[member.name] == nil, "\(member.name)") }
    }

    @Test func `introspection of an opaque token says the same`() async throws {
        let claims = try await ClaimsServer()
        let tokens = try await claims.signIn("groups email vault:open", [ClaimsServer.vault])
        let api = try ConfidentialClient(claims.server, "vault-api")
        let answer = await api.introspect(try tokens.string("access_token")).json
        #expect(answer["active"] == true && answer["sub"] == "subject-of-ada")
        #expect(answer["roles"] == ["editor"] && answer["email"] == "ada@example.com")
        #expect(answer["groups"] == nil && answer["email_verified"] == nil)
    }

    @Test func `a token is never for two APIs that take other claims`() async throws {
        let claims = try await ClaimsServer()
        let both = [ClaimsServer.files, ServerUnderTest.audience]
        let tokens = try await claims.signIn("groups api:read files:read", both)
        let first = try tokens.accessTokenClaims()
        #expect(first["aud"] == .string(ClaimsServer.files) && first["groups"] == ["admin", "staff"])
        let token = try tokens.string("refresh_token")
        let second = try await claims.client.refresh(token, resources: [ServerUnderTest.audience])
        let notes = try second.accessTokenClaims()
        #expect(notes["aud"] == .string(ServerUnderTest.audience) && notes["groups"] == nil)
        let three = try await claims.signIn("groups api:read", both + [ClaimsServer.vault])
        expect(
            try await claims.client.refresh(try three.string("refresh_token"), resources: both),
            isError: "invalid_target"
        )
    }

    @Test func `the default API takes what its description says`() async throws {
        let claims = try await ClaimsServer {
            $0.resources.append(ProtectedResource(address: ServerUnderTest.audience, claims: ["email"]))
        }
        let notes = try await claims.signIn("email groups api:read").accessTokenClaims()
        #expect(notes["email"] == "ada@example.com" && notes["groups"] == nil)
    }

    @Test func `a refresh has the claims of that time, and none that was removed`() async throws {
        let claims = try await ClaimsServer()
        let first = try await claims.signIn("openid groups files:read", [ClaimsServer.files])
        #expect(try await claims.idToken(first)["roles"] == ["editor"])
        try await claims.set(["groups": ["staff"]], of: "ada")
        let second = try await claims.client.refresh(try first.string("refresh_token"))
        #expect(try second.accessTokenClaims()["groups"] == ["staff"])
        let idToken = try await claims.idToken(second)
        #expect(idToken["groups"] == ["staff"] && idToken["roles"] == nil)
        try await claims.set(JSONObject(), of: "ada")
        let third = try await claims.client.refresh(try second.string("refresh_token"))
        #expect(try third.accessTokenClaims()["groups"] == nil)
        #expect(try await claims.idToken(third)["groups"] == nil)
    }

    // MARK: Clients without a user, and clients that act for one

    @Test func `a client that acts for itself gets no scope that releases claims, and no claims`() async throws {
        let claims = try await ClaimsServer()
        let backend = try ConfidentialClient(claims.server, "backend")
        expect(try await backend.tokens(["scope": "groups api:read"], fields: backend.basic), isError: "invalid_scope")
        let form = FormParameters().naming([ClaimsServer.files])
        let own = try await backend.tokens(form, fields: backend.basic)
        #expect(try own.string("scope") == "files:read")
        #expect(try own.accessTokenClaims()["groups"] == nil)
    }

    @Test func `nor does it if the scope is one of an API, or a user has its name`() async throws {
        let claims = try await ClaimsServer { $0.resources[0].scopes.append("groups") }
        let account = UserAccount(
            subject: "backend",
            username: "backend",
            passwordHash: PasswordHash(stored: "$none$x"),
            createdAt: claims.server.clock.now(),
            claims: ClaimsServer.adas
        )
        #expect(try await claims.server.storage.add(account))
        let backend = try ConfidentialClient(claims.server, "backend")
        let form = FormParameters().naming([ClaimsServer.files])
        let own = try await backend.tokens(form, fields: backend.basic)
        #expect(try own.string("scope").contains("groups"))
        #expect(try own.accessTokenClaims()["groups"] == nil)
    }

    @Test func `RFC 8693, an exchanged token says it about its user, if the scope is asked for`() async throws {
        let claims = try await ClaimsServer()
        let token = try await claims.signIn("groups files:read", [ClaimsServer.files]).string("access_token")
        try await claims.set(["groups": ["staff"]], of: "ada")
        let backend = try ExchangeClient(claims.server)
        let exchanged = try await backend.exchange(token).accessTokenClaims()
        #expect(exchanged["sub"] == "subject-of-ada" && exchanged["act"] == ["sub": "backend"])
        #expect(exchanged["groups"] == ["staff"])
        let narrowed = try await backend.exchange(token, ["scope": "files:read"]).accessTokenClaims()
        #expect(narrowed["groups"] == nil)
    }

    // MARK: What it costs

    @Test func `the user is read once if a claim is released, and not at all otherwise`() async throws {
        let storage = CountedStorage(MemoryAuthorizationStorage())
        let claims = try await ClaimsServer(storage: storage)
        for (scope, count) in [("openid groups files:read", 1), ("openid files:read", 0), ("groups api:read", 0)] {
            let resources = scope.contains("files") ? [ClaimsServer.files] : []
            let attempt = claims.client.attempt(scope: scope, resources: resources)
            let code = try await claims.client.code(for: attempt)
            _ = storage.takeCalls()
            #expect(try await claims.client.redeem(code, attempt).status == 200)
            #expect(storage.takeCalls().count { $0 == "user(subject:)" } == count, "\(scope)")
        }
    }
}
