// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@Suite("JARM: signed answers, over real sockets")
struct SignedResponseTests {
    private static let modes: [ResponseMode] = [.queryJWT, .fragmentJWT, .formPostJWT]

    /// A fixture with a waiting sign-in, and a valid response to it.
    private func waiting() async throws -> (fixture: SigningFixture, token: String) {
        let fixture = try SigningFixture()
        let callback = try await fixture.server.browse(fixture.start(.queryJWT))
        let query = try FormParameters(decoding: try #require(URI(parsing: callback.url).query))
        return (fixture, try #require(try query.value(for: "response")))
    }

    private func error(_ fixture: SigningFixture, _ query: String) async -> OAuthClientError? {
        await clientError {
            _ = try await fixture.client.parseAuthorizationResponse("com.example.app:/callback?" + query)
        }
    }

    @Test(arguments: modes)
    func `trap 12: code and plain parameters beside a signed answer are rejected, and end nothing`(
        _ mode: ResponseMode
    ) async throws {
        let fixture = try SigningFixture()
        for name in ["code", "state", "iss", "error"] {
            await fixture.server.change {
                $0.beside = [:]
                $0.beside.append(name, "x")
            }
            let error = await fixture.refusal(mode)
            #expect(error?.code == .malformedCallback, "\(name)")
        }
        await fixture.server.change { $0.beside = ["session_state": "x"] }
        _ = try await fixture.answer(mode)
    }

    /// Wrong claims of a response, one at a time.
    static let wrongClaims: [(String, JSONObject)] = [
        ("trap 12: another issuer", ["iss": "https://evil.example"]), ("no issuer", ["iss": .null]),
        ("trap 12: another audience", ["aud": "other-app"]), ("no audience", ["aud": .null]),
        ("an audience list without the client", ["aud": ["other-app", "third-app"]]),
        ("trap 12: expired", ["exp": 1_789_999_989]), ("no exp", ["exp": .null]), ("exp is text", ["exp": "x"]),
        ("not valid yet", ["nbf": 1_790_000_011]), ("issued in the future", ["iat": 1_790_000_011]),
        ("no state", ["state": .null]), ("an id_token", ["sub": "alice", "iat": 1_790_000_000]),
        ("an id_token without sub", ["nonce": "n"]), ("a logout token", ["events": [:]]),
        ("code is a number", ["code": 1]), ("error is an object", ["error": [:]]),
    ]

    @Test(arguments: wrongClaims)
    func `a signed answer is rejected`(_ what: String, _ claims: JSONObject) async throws {
        let fixture = try SigningFixture()
        await fixture.server.change { $0.answerClaims = claims }
        let error = await fixture.refusal(.queryJWT)
        #expect(error?.code == .signedResponseRejected, "\(what)")
    }

    @Test(arguments: ["at+jwt", "dpop+jwt", "oauth-authz-req+jwt", "logout+jwt", "client-authentication+jwt"])
    func `a JWT of another kind is rejected by its typ`(_ type: String) async throws {
        let fixture = try SigningFixture()
        await fixture.server.change { $0.answerHeader = ["typ": .string(type)] }
        #expect(await fixture.refusal(.queryJWT)?.code == .signedResponseRejected)
    }

    @Test(
        arguments: [
            ["alg": "none"], ["alg": "HS256"], ["alg": "RS256"], ["alg": .null], ["kid": "unknown"], ["crit": ["x"]],
            ["b64": false],
        ] as [JSONObject]
    )
    func `an answer is rejected for its header`(_ header: JSONObject) async throws {
        let fixture = try SigningFixture()
        await fixture.server.change { $0.answerHeader = header }
        #expect(await fixture.refusal(.queryJWT)?.code == .signedResponseRejected)
    }

    @Test func `alg none without a signature is rejected, and so is HS256 with the public key as the secret`()
        async throws
    {
        let (fixture, token) = try await waiting()
        let payload = String(token.split(separator: ".")[1])
        let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + "." + payload + "."
        #expect(await error(fixture, "response=" + none)?.code == .signedResponseRejected)
        let secret = JSONValue.object(fixture.server.conduct.key.publicKey.json).encoded()
        let forged = try ClientSecretKey(secret: secret, algorithm: .hs256)
            .authenticate(header: [:], payload: Base64URL.decode(payload))
        #expect(await error(fixture, "response=" + forged)?.code == .signedResponseRejected)
        _ = try await fixture.client.parseAuthorizationResponse("com.example.app:/callback?response=" + token)
    }

    @Test func `the signature of another key is rejected and ends nothing`() async throws {
        let (fixture, token) = try await waiting()
        let payload = try CompactJWS(parsing: token).payload
        let forged = try await RawJWS.sign(
            header: Array(#"{"alg":"ES256"}"#.utf8),
            payload: payload,
            with: fixture.server.conduct.otherKey
        )
        let error = await error(fixture, "response=" + forged)
        #expect(error?.code == .signedResponseRejected)
        #expect((error?.underlying as? JOSEError)?.code == .invalidSignature)
        _ = try await fixture.client.parseAuthorizationResponse("com.example.app:/callback?response=" + token)
    }

    @Test func `trap 7: a member that stands twice in the JWT is rejected`() async throws {
        let (fixture, token) = try await waiting()
        let text = String(decoding: try CompactJWS(parsing: token).payload, as: UTF8.self)
        let twice = #"{"code":"theirs","# + text.dropFirst()
        let forged = try await RawJWS.sign(
            header: Array(#"{"alg":"ES256"}"#.utf8),
            payload: Array(twice.utf8),
            with: fixture.server.conduct.key
        )
        #expect(await error(fixture, "response=" + forged)?.code == .signedResponseRejected)
    }

    @Test func `trap 7: a repeated response is rejected`() async throws {
        let (fixture, token) = try await waiting()
        #expect(await error(fixture, "response=\(token)&response=\(token)")?.code == .malformedCallback)
        #expect(await error(fixture, "response=")?.code == .malformedCallback)
        #expect(await error(fixture, "response=\(token)&foo=a&foo=b")?.code == .malformedCallback)
    }

    @Test func `trap 5: a signed answer is taken once`() async throws {
        let (fixture, token) = try await waiting()
        _ = try await fixture.client.parseAuthorizationResponse("com.example.app:/callback?response=" + token)
        #expect(await error(fixture, "response=" + token)?.code == .unknownState)
    }

    @Test func `trap 5: a signed answer with the state of no sign-in is rejected`() async throws {
        let fixture = try SigningFixture()
        await fixture.server.change { $0.answerClaims = ["state": "guess"] }
        #expect(await fixture.refusal(.jwt)?.code == .unknownState)
    }

    @Test func `trap 8: a signed answer at another redirect URI than the one asked for is rejected`() async throws {
        let fixture = try SigningFixture(redirectURI: "http://127.0.0.1/callback")
        let callback = try await fixture.server.browse(fixture.start(.queryJWT))
        let elsewhere = callback.url.replacing("http://127.0.0.1/", with: "http://127.0.0.1:81/")
        let error = await clientError { _ = try await fixture.client.parseAuthorizationResponse(elsewhere) }
        #expect(error?.code == .malformedCallback)
    }

    @Test func `an encrypted answer is rejected by a message that says so`() async throws {
        let (fixture, _) = try await waiting()
        let error = await error(fixture, "response=a.b.c.d.e")
        #expect(error?.code == .signedResponseRejected)
        #expect(error?.reason.contains("encrypted") == true)
    }

    @Test func `a refusal in a signed answer surfaces as one`() async throws {
        let fixture = try SigningFixture()
        await fixture.server.change {
            $0.answerClaims = ["code": .null, "error": "access_denied", "error_description": "not today"]
        }
        let error = await fixture.refusal(.formPostJWT)
        #expect(error?.code == .authorizationRejected)
        #expect(error?.answer == OAuthErrorResponse(.accessDenied, errorDescription: "not today"))
    }

    @Test func `a refusal that is not signed by the server is not believed`() async throws {
        let fixture = try SigningFixture()
        await fixture.server.change {
            $0.answerClaims = ["code": .null, "error": "access_denied"]
            $0.signsWithAnotherKey = true
        }
        #expect(await fixture.refusal(.jwt)?.code == .signedResponseRejected)
    }

    @Test func `only the algorithms that the client was told are accepted`() async throws {
        let fixture = try SigningFixture { $0.signedResponseAlgorithms = [.ps256] }
        #expect(await fixture.refusal(.jwt)?.code == .signedResponseRejected)
        await fixture.server.change { $0.metadata = ["authorization_signing_alg_values_supported": ["ES256"]] }
        let client = try SigningFixture { $0.signedResponseAlgorithms = [.ps256] }
        await client.server.change { $0.metadata = ["authorization_signing_alg_values_supported": ["ES256", "none"]] }
        #expect(await clientError { _ = try await client.start(.jwt) }?.code == .unsupportedByServer)
    }

    @Test func `without an address of keys, or with one that is not https, no signed answer is asked for`() async throws
    {
        let fixture = try SigningFixture()
        await fixture.server.change { $0.metadata = ["jwks_uri": .null] }
        #expect(await clientError { _ = try await fixture.start(.jwt) }?.code == .unsupportedByServer)
        let insecure = try SigningFixture()
        await insecure.server.change { $0.metadata = ["jwks_uri": "http://auth.example/jwks"] }
        #expect(await clientError { _ = try await insecure.start(.jwt) }?.code == .insecureURL)
        _ = try await insecure.start(.query)
    }

    @Test func `keys are fetched once, and not at all for what is no JWT`() async throws {
        let fixture = try SigningFixture()
        #expect(await error(fixture, "response=eyJ")?.code == .signedResponseRejected)
        #expect(await fixture.server.conduct.keyRequests == 0)
        _ = try await fixture.answer(.jwt)
        _ = try await fixture.answer(.jwt)
        #expect(await fixture.server.conduct.keyRequests == 1)
    }

    @Test func `without the keys of the server nothing is believed, and the sign-in still waits`() async throws {
        let fixture = try SigningFixture()
        await fixture.server.change { $0.metadata = ["jwks_uri": .string("http://127.0.0.1:1/jwks")] }
        let callback = try await fixture.server.browse(fixture.start(.jwt))
        let error = await clientError { _ = try await fixture.client.parseAuthorizationResponse(callback) }
        #expect(error?.code == .serverUnavailable)
        await fixture.server.change { $0.metadata = [:] }
        try await fixture.client.fetchAuthorizationServerMetadata()
        _ = try await fixture.client.parseAuthorizationResponse(callback)
    }

    @Test func `a JWT over 8 KiB is rejected`() async throws {
        let fixture = try SigningFixture()
        await fixture.server.change { $0.answerClaims = ["foo": .string(String(repeating: "x", count: 7000))] }
        #expect(await fixture.refusal(.formPostJWT)?.code == .signedResponseRejected)
    }
}
#endif
