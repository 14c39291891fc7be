// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import JOSE
import OAuthCrypto
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("OpenID Connect: userinfo")
struct UserInfoEndpointTests {
    @Test(arguments: ["GET", "POST"])
    func `OpenID Connect Core section 5.3, says who the access token is about`(_ method: String) async throws {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        let tokens = try await openID.signIn(client)
        let answer = try await openID.userInfo(try tokens.string("access_token"), client, method: method)
        #expect(answer.status == 200)
        #expect(answer.json == ["sub": "subject-of-ada", "preferred_username": "ada"])
        #expect(answer.fields["Content-Type"] == "application/json")
        #expect(answer.fields.values(for: "Cache-Control") == ["no-store"])
    }

    @Test func `without the scope profile it says the subject only`() async throws {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        let tokens = try await openID.signIn(client, ["scope": "openid"])
        #expect(try await openID.userInfo(try tokens.string("access_token"), client).json == ["sub": "subject-of-ada"])
    }

    @Test func `without the scope openid it is rejected`() async throws {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        let tokens = try await openID.signIn(client, ["scope": "profile api:read"])
        let answer = try await openID.userInfo(try tokens.string("access_token"), client)
        #expect(answer.status == 403)
        #expect(answer.fields["WWW-Authenticate"]?.contains("insufficient_scope") == true)
    }

    @Test func `an id_token is no access token`() async throws {
        let openID = try await OpenIDServer()
        for clientID in ["oidc", "oidc-es256"] {
            let client = try openID.client(clientID)
            let answer = try await openID.userInfo(try await openID.signIn(client).string("id_token"), client)
            #expect(answer.status == 401)
            #expect(answer.fields["WWW-Authenticate"]?.contains("invalid_token") == true)
        }
    }

    @Test(arguments: ["Bearer", "another key", "no proof", "in the body"])
    func `a token works with a proof of its key only`(_ kind: String) async throws {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        let token = try await openID.signIn(client).string("access_token")
        let answer: HTTPResponse
        switch kind {
        case "Bearer": answer = try await openID.userInfo(token, client, scheme: "Bearer")
        case "another key": answer = try await openID.userInfo(token, client.with(key: TestKey.p256(7)))
        case "no proof":
            let fields: HTTPFields = ["Authorization": "DPoP \(token)"]
            answer = await openID.server.send(HTTPRequest(target: "/userinfo", fields: fields))
        default: answer = await openID.server.post("/userinfo", ["access_token": token])
        }
        #expect(answer.status == (kind == "in the body" ? 400 : 401))
        #expect(answer.body.isEmpty)
        #expect(answer.fields["WWW-Authenticate"] != nil)
    }

    @Test func `RFC 7009, a token that was revoked says nothing more`() async throws {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        let tokens = try await openID.signIn(client)
        let token = try tokens.string("access_token")
        #expect(try await openID.userInfo(token, client).status == 200)
        let revocation: FormParameters = ["client_id": "oidc", "token": try tokens.string("refresh_token")]
        #expect(await openID.server.post("/revoke", revocation).status == 200)
        let answer = try await openID.userInfo(token, client)
        #expect(answer.status == 401)
        let challenge = try #require(try Challenge.parse(answer.fields.values(for: "WWW-Authenticate")).first)
        #expect(challenge.scheme == "DPoP" && challenge.value(for: "error") == "invalid_token")
        #expect(challenge.value(for: "error_description") == "The access token was revoked")
        #expect(challenge.value(for: "algs")?.contains("ES256") == true)
        #expect(answer.fields["Access-Control-Expose-Headers"] == "DPoP-Nonce, WWW-Authenticate")
    }

    @Test(arguments: [true, false])
    func `a bearer token is taken where the server gives those out, a bound one is never a bearer token`(
        requiresDPoP: Bool
    ) async throws {
        let openID = try await OpenIDServer { $0.requireDPoP = requiresDPoP }
        let loose = try ServerUnderTest.client(
            "loose",
            redirectURIs: [OpenIDServer.redirectURI],
            scope: OpenIDServer.scope,
            isBound: false
        )
        _ = try await openID.server.storage.add(loose)
        let bound = try await openID.signIn(try openID.client()).string("access_token")
        let stolen = await openID.server.send(
            HTTPRequest(target: "/userinfo", fields: ["Authorization": "Bearer \(bound)"])
        )
        #expect(stolen.status == 401)
        let challenges = try Challenge.parse(stolen.fields.values(for: "WWW-Authenticate"))
        #expect(challenges.map(\.scheme) == ["Bearer", "DPoP"] && challenges[0].value(for: "error") == "invalid_token")
        let without = await openID.server.get("/userinfo").fields.values(for: "WWW-Authenticate")
        #expect(try Challenge.parse(without).map(\.scheme) == (requiresDPoP ? ["DPoP"] : ["DPoP", "Bearer"]))
        guard !requiresDPoP else { return }
        let client = FakeClient(openID.server, clientID: "loose", redirectURI: OpenIDServer.redirectURI, key: nil)
        let tokens = try await openID.signIn(client)
        #expect(try tokens.string("token_type") == "Bearer")
        let fields: HTTPFields = ["Authorization": "Bearer \(try tokens.string("access_token"))"]
        let answer = await openID.server.send(HTTPRequest(target: "/userinfo", fields: fields))
        #expect(answer.json == ["sub": "subject-of-ada", "preferred_username": "ada"])
        let revocation: FormParameters = ["client_id": "loose", "token": try tokens.string("refresh_token")]
        #expect(await openID.server.post("/revoke", revocation).status == 200)
        let revoked = await openID.server.send(HTTPRequest(target: "/userinfo", fields: fields))
        #expect(revoked.status == 401)
        let rest = try Challenge.parse(revoked.fields.values(for: "WWW-Authenticate"))
        #expect(rest.map(\.scheme) == ["Bearer", "DPoP"] && rest[0].value(for: "error") == "invalid_token")
    }

    @Test func `a proof works once`() async throws {
        let openID = try await OpenIDServer { $0.noncePolicy = .off }
        let client = try openID.client()
        let token = try await openID.signIn(client).string("access_token")
        let proof = try await client.proof(for: "/userinfo") { claims in
            claims["htm"] = "GET"
            claims["ath"] = .string(Base64URL.encode(SHA256.hash(Array(token.utf8)).bytes))
        }
        let fields: HTTPFields = ["Authorization": "DPoP \(token)", "DPoP": try #require(proof)]
        #expect(await openID.server.send(HTTPRequest(target: "/userinfo", fields: fields)).status == 200)
        #expect(await openID.server.send(HTTPRequest(target: "/userinfo", fields: fields)).status == 401)
    }
}
