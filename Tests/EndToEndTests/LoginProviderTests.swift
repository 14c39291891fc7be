// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import HTTPServer
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport
import ServerStorage
import StrictJSON
import Testing

@testable import KeyboundCommand

@Suite("A login system of somebody else, over sockets: the example of docs/login-system.md")
struct LoginProviderTests {
    /// A login system in a page of code: it asks for a name, and signs what it found out.
    private struct Example: Sendable {
        let address: String
        let issuer: String
        let key: SoftwareSigningKey

        func respond(_ request: HTTPRequest) async -> HTTPResponse {
            do {
                return try await request.method == "POST" ? answer(request) : ask(request)
            } catch {
                return HTTPResponse(status: 400)
            }
        }

        /// The page that the browser is sent to: the challenge goes through its form.
        private func ask(_ request: HTTPRequest) async throws -> HTTPResponse {
            let challenge = try FormParameters(decoding: request.query ?? "").value(for: "login_challenge") ?? ""
            _ = try await question(challenge)
            let page = """
                <title>Example login</title><form method="post" action="/login">
                <input type="hidden" name="login_challenge" value="\(challenge)"><input name="employee"></form>
                """
            return HTTPResponse(status: 200, fields: ["Content-Type": "text/html"], body: Array(page.utf8))
        }

        /// Whoever asks must be the server: its published keys say so.
        private func question(_ challenge: String) async throws -> JWTClaims {
            let request = HTTPRequest(target: issuer + "/jwks")
            let answer = try await PlatformTransport().send(request, maximumBodySize: 65_536)
            let keys = try JWKSet(parsing: JSONValue(parsing: answer.body).objectValue ?? [:])
            return try JWTValidation(type: "login-challenge+jwt", issuer: issuer, audience: address)
                .validate(challenge, with: keys, at: SystemWallClock().now())
        }

        private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
            let form = try FormParameters(decoding: request.body)
            let question = try await question(try form.value(for: "login_challenge") ?? "")
            let now = SystemWallClock().now().secondsSince1970
            let claims: JSONObject = [
                "iss": .string(address), "aud": .string(issuer), "iat": .number(JSONNumber(now)),
                "exp": .number(JSONNumber(now + 60)), "jti": .string(Base64URL.encode(SystemEntropy().bytes(16))),
                "login_challenge": .string(question.tokenID ?? ""),
                "sub": .string(try form.value(for: "employee") ?? ""),
                "name": "Grace", "auth_time": .number(JSONNumber(now)), "acr": "urn:example:badge", "amr": ["hwk"],
            ]
            let response = try await CompactJWS.sign(
                header: ["typ": "login-response+jwt"],
                payload: JSONValue.object(claims).encoded(),
                with: key
            )
            let target = try URI(parsing: question.string("answer_uri") ?? "")
            let location = target.appendingQuery(["login_response": response]).description
            return HTTPResponse(status: 303, fields: ["Location": location])
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `the app gets tokens for who the login system says, how it says, and the server asks for consent`()
        async throws
    {
        let (server, system) = (LateBoundHandler(), LateBoundHandler())
        let listeners = [
            try HTTPListener(port: 0, handler: server.respond), try HTTPListener(port: 0, handler: system.respond),
        ]
        let issuer = "http://127.0.0.1:\(listeners[0].port)"
        let address = "http://127.0.0.1:\(listeners[1].port)/login"
        let example = Example(address: address, issuer: issuer, key: try SoftwareSigningKey())
        system.set { await example.respond($0) }
        let storage = MemoryAuthorizationStorage()
        var configuration = ServerConfiguration(
            issuer: try URI(parsing: issuer),
            audience: "https://api.example.com",
            scopes: [ScopeDescription(name: "openid"), ScopeDescription(name: "api:read")],
            allowsInsecureLoopbackIssuer: true
        )
        configuration.loginSystem = LoginProvider(
            loginURL: try URI(parsing: address),
            keys: JWKSet([example.key.publicKey]),
            contexts: ["urn:example:badge"]
        )
        let engine = try AuthorizationEngine(
            configuration: configuration,
            storage: storage,
            signingKey: SoftwareSigningKey(),
            replay: MemoryReplayStore(),
            nonceSecrets: [DPoPNonceSecret(entropy: SystemEntropy())]
        )
        server.set { await engine.respond(to: $0) }
        try await ServerAdministration(storage: storage).addClient(
            RegisteredClient(
                clientID: "app",
                name: "App",
                redirectURIs: ["http://127.0.0.1/callback"],
                scope: Scope(["openid", "api:read"]),
                idTokenSignedResponseAlgorithm: .es256,
                createdAt: SystemWallClock().now()
            )
        )
        let client = try OAuth2Client(
            issuer: issuer,
            clientID: "app",
            redirectURI: "http://127.0.0.1/callback",
            configuration: .allowingInsecureHTTPOnLoopback
        )
        let transcript = Transcript(style: TerminalStyle(isColored: false), output: { _ in })
        let walker = HeadlessBrowser(answers: ["employee": "employee-17"], transcript: transcript)
        let session = try await client.signIn(scopes: ["openid", "api:read"], using: SystemBrowser(launcher: walker))
        let tokens = try await session.tokenManager.fetch()
        let idToken = try #require(tokens.idToken)
        #expect(idToken.subject == "employee-17")
        #expect(idToken.authenticationMethods == ["hwk"])
        let claims = try CompactJWS(parsing: tokens.accessToken.value).payloadObject()
        #expect(claims["acr"] == "urn:example:badge" && claims["scope"] == "openid api:read")
        for listener in listeners { await listener.stop(draining: .seconds(2)) }
    }
}
