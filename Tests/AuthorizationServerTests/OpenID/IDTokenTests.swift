// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCrypto
import OAuthSystem
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("OpenID Connect: id_tokens")
struct IDTokenTests {
    @Test func `OpenID Connect Core section 2, what is in an id_token`() async throws {
        let openID = try await OpenIDServer()
        let tokens = try await openID.signIn(try openID.client(), ["nonce": "n-0S6_WzA2Mj"])
        let claims = try await openID.claims(try tokens.string("id_token"))
        let now = openID.server.clock.now().secondsSince1970
        let expected: JSONObject = [
            "iss": .string(ServerUnderTest.issuer), "sub": "subject-of-ada", "aud": "oidc",
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 300)),
            "auth_time": .number(JSONNumber(now)),
            "acr": "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport", "amr": ["pwd"],
            "nonce": "n-0S6_WzA2Mj", "preferred_username": "ada",
            // Section 3.1.3.6.
            "at_hash": .string(
                Base64URL.encode(Array(SHA256.hash(Array(try tokens.string("access_token").utf8)).bytes.prefix(16)))
            ),
        ]
        for member in expected.members { #expect(claims[member.name] == member.value, "\(member.name)") }
        #expect(claims.members.count == expected.members.count)
        #expect(Set(claims.members.map(\.name)) == Set(IDTokenIssuer.claims + ["preferred_username"]))
        #expect(try tokens.string("scope") == OpenIDServer.scope)
    }

    @Test func `OpenID Connect Core section 12.2, a refresh brings one about the same sign-in, without nonce`()
        async throws
    {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        let tokens = try await openID.signIn(client, ["nonce": "one"])
        let first = try await openID.claims(try tokens.string("id_token"))
        openID.server.clock.advance(by: .seconds(100))
        let refreshed = try await client.refresh(try tokens.string("refresh_token"))
        let second = try await openID.claims(try refreshed.string("id_token"))
        for name in ["iss", "sub", "aud", "auth_time", "acr", "amr"] { #expect(first[name] == second[name], "\(name)") }
        #expect(second["nonce"] == nil)
        #expect(second["iat"]?.integerValue == first["iat"]?.integerValue.map { $0 + 100 })
        #expect(second["at_hash"] != first["at_hash"])
    }

    @Test func `OpenID Connect Core section 5.4, the name is in it only with the scope profile`() async throws {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        let without = try await openID.signIn(client, ["scope": "openid api:read"])
        #expect(try await openID.claims(try without.string("id_token"))["preferred_username"] == nil)

        let tokens = try await openID.signIn(client)
        let refreshed = try await client.refresh(try tokens.string("refresh_token"))
        #expect(try await openID.claims(try refreshed.string("id_token"))["preferred_username"] == "ada")
        let request = client.refreshing(try refreshed.string("refresh_token")).adding("scope", "openid")
        let narrowed = try await client.post("/token", request)
        #expect(narrowed.status == 200, "\(narrowed.text)")
        #expect(try await openID.claims(try narrowed.string("id_token"))["preferred_username"] == nil)
    }

    @Test func `a refresh with less scope than openid brings none`() async throws {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        let tokens = try await openID.signIn(client)
        let request = client.refreshing(try tokens.string("refresh_token")).adding("scope", "api:read")
        let refreshed = try await client.post("/token", request)
        #expect(refreshed.status == 200)
        #expect(refreshed.json["id_token"] == nil)
    }

    @Test func `without the scope openid there is none, whatever else is asked`() async throws {
        let openID = try await OpenIDServer()
        let tokens = try await openID.signIn(
            try openID.client(),
            ["scope": "api:read", "nonce": "one", "max_age": "60"]
        )
        #expect(tokens.json["id_token"] == nil)
    }

    @Test func `OpenID Connect Registration section 2, a client gets the algorithm it is registered for`() async throws
    {
        let openID = try await OpenIDServer()
        let tokens = try await openID.signIn(try openID.client("oidc-es256"))
        let claims = try await openID.claims(try tokens.string("id_token"), by: .es256)
        #expect(claims["aud"] == "oidc-es256")
        #expect(claims["nonce"] == nil)
    }

    @Test func `a client registered for an algorithm without a key is told so, and gets no code`()
        async throws
    {
        let openID = try await OpenIDServer()
        let client = try openID.client("oidc-ps512")
        expect(try await client.push(openID.attempt(client)), isError: "unauthorized_client")
        // Without id_token it can go on.
        _ = try await openID.signIn(client, ["scope": "api:read"])
    }

    @Test func `RFC 7517, both keys are published, each for its algorithm`() async throws {
        let openID = try await OpenIDServer()
        let keys = try #require(await openID.server.get("/jwks").json["keys"]?.arrayValue).compactMap(\.objectValue)
        #expect(keys.map { $0["alg"]?.stringValue } == ["ES256", "RS256"])
        #expect(keys.allSatisfy { $0["use"] == "sig" && $0["kid"]?.stringValue?.utf8.count == 43 && $0["d"] == nil })
        let modulus = try #require(keys[1]["n"]?.stringValue)
        #expect(try modulus == TestKey.rsa().publicKey.json["n"]?.stringValue)
    }

    @Test func `without a key of its own an id_token is signed with the other one`() async throws {
        let client = try ServerUnderTest.client("one", redirectURIs: ["https://one.example/cb"], scope: "openid")
        let server = try await ServerUnderTest.inMemory(clients: [client]) { $0.scopes.append(.init(name: "openid")) }
        let app = FakeClient(server, clientID: "one", redirectURI: "https://one.example/cb", key: try TestKey.p256(2))
        var attempt = app.attempt()
        attempt.parameters = attempt.parameters.with("scope", "openid")
        let tokens = try await app.redeem(try await app.code(for: attempt), attempt)
        let jws = try CompactJWS(parsing: try tokens.string("id_token"))
        try jws.verify(with: TestKey.p256(1).publicKey, allowing: [.es256])
        #expect(await server.get("/jwks").json["keys"]?.arrayValue?.count == 1)
    }

    @Test func `a key that does not sign spends no code`() async throws {
        struct Broken: SigningKey {
            struct Refused: Error {}
            let publicKey: JWK
            let algorithm = SignatureAlgorithm.rs256
            let protection = KeyProtection.memory
            func sign(_ message: [UInt8]) async throws -> [UInt8] { throw Refused() }
        }
        let key = Broken(publicKey: try TestKey.rsa().publicKey)
        let registered = try ServerUnderTest.client("one", redirectURIs: ["https://one.example/cb"], scope: "openid")
        let storage = MemoryAuthorizationStorage()
        let server = try await ServerUnderTest.inMemory(clients: [registered], storage: storage, idTokenKey: key) {
            $0.scopes.append(.init(name: "openid"))
        }
        let app = FakeClient(server, clientID: "one", redirectURI: "https://one.example/cb", key: try TestKey.p256(2))
        var attempt = app.attempt()
        attempt.parameters = attempt.parameters.with("scope", "openid")
        let code = try await app.code(for: attempt)
        expect(try await app.redeem(code, attempt), isError: "server_error", status: 503)
        let secret = try #require(GrantSecret(code, as: .code))
        let (now, recording) = (server.clock.now(), Recording(WriteAttempt(id: 1)))
        let redemption = try storage.redeem(secret, issuing: nil, until: now, recording: recording, at: now)
        #expect(redemption == .done(.first))
    }
}
