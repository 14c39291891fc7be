// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthTesting
import OAuthTransport
import StrictJSON
import Testing

@Suite struct RecordingTests {
    @Test func `every exchange is kept, in order`() async throws {
        let app = try await SignedInApp()
        _ = try await SignedInApp.call(app.signIn())
        #expect(
            app.log == [
                "/.well-known/oauth-authorization-server 200", "/par 400", "/par 201", "/token 200", "/notes 401",
                "/notes 200",
            ]
        )
        let token = app.recording.exchanges[3]
        #expect(token.method == "POST" && token.url == "https://auth.example/token")
        #expect(token.parameterNames == ["grant_type", "code", "redirect_uri", "code_verifier", "client_id"])
        app.recording.removeAll()
        #expect(app.recording.exchanges.isEmpty)
    }

    @Test func `nothing secret is printed, however it is printed`() async throws {
        let recording = try await Self.recordedSignIn().recording
        var secrets = ["correct horse", "correct+horse"]
        for exchange in recording.exchanges {
            let (request, response) = (exchange.requestWithSecretsInClear, exchange.responseWithSecretsInClear)
            for name in ["Authorization", "DPoP", "Cookie"] { secrets += request.fields.values(for: name) }
            for name in ["Set-Cookie", "Location", "DPoP-Nonce"] { secrets += response?.fields.values(for: name) ?? [] }
            let form = (try? FormParameters(decoding: request.body)) ?? [:]
            for name in ["code", "code_verifier", "state", "refresh_token", "password", "csrf_token", "request"] {
                secrets += form.values(for: name)
            }
            let object = response.flatMap { try? JSONValue(parsing: $0.body).objectValue }
            for name in ["access_token", "refresh_token", "request_uri"] {
                secrets += [object?[name]?.stringValue].compactMap(\.self)
            }
        }
        #expect(secrets.count > 20 && secrets.allSatisfy { $0.count > 8 })
        for exchange in recording.exchanges {
            var dumped = ""
            dump(exchange, to: &dumped)
            let printed = "\(exchange) \(String(reflecting: exchange)) \(dumped)"
            #expect(!secrets.contains { printed.contains($0) }, "\(exchange.url)")
        }
        var dumped = ""
        dump(recording, to: &dumped)
        #expect(!secrets.contains { dumped.contains($0) })
    }

    @Test func `what is harmless is printed`() async throws {
        let app = try await SignedInApp()
        _ = try await app.signIn()
        let text = app.recording.exchanges[3].description
        for line in [
            "POST https://auth.example/token", "  grant_type=authorization_code", "  code=(redacted)", "-> 200",
            "  DPoP: (redacted)", "  access_token=(redacted)", "  token_type=DPoP", "  expires_in=120",
        ] { #expect(text.split(separator: "\n").contains { $0 == line }, "\(line)") }
    }

    @Test func `a recording is played back to the same client`() async throws {
        let bytes = try await Self.recordedSignIn().recording.recordingWithSecretsInClear()
        let playback = try PlaybackTransport(bytes)
        #expect(playback.remaining.count == 10)
        let server = try await FakeAuthorizationServer()
        let session = try await Self.signIn(server, through: playback)
        #expect(try await SignedInApp.call(session) == 200)
        #expect(playback.remaining.isEmpty)
        // Nothing is left, so the next request finds no answer.
        #expect(await clientError { _ = try await SignedInApp.call(session) }?.code == .transportFailed)
    }

    @Test func `other requests than the recorded ones get no answer`() async throws {
        let bytes = try await Self.recordedSignIn().recording.recordingWithSecretsInClear()
        let playback = try PlaybackTransport(bytes)
        for request in [
            HTTPRequest(target: "https://auth.example/elsewhere"), HTTPRequest(target: "https://auth.example/par"),
            HTTPRequest(target: "https://api.example/notes?x"),
        ] {
            await #expect(throws: OAuthCoreError.self) { try await playback.send(request, maximumBodySize: 65_536) }
        }
        let metadata = HTTPRequest(target: "https://auth.example/.well-known/oauth-authorization-server")
        await #expect(throws: OAuthCoreError.self) { try await playback.send(metadata, maximumBodySize: 10) }
        #expect(playback.remaining.count == 9)
    }

    @Test func `failures and bodies that are no text are recorded too`() async throws {
        let server = try await FakeAuthorizationServer()
        let recording = RecordingTransport(server)
        let answer = HTTPResponse(status: 299, fields: ["A": "1", "a": "2"], body: [0xFF, 0x00])
        server.answerNext(with: .answer(answer))
        server.answerNext(with: .networkFailure)
        let request = HTTPRequest(method: "POST", target: "https://auth.example/x?y=z", fields: ["B": ""], body: [0xC0])
        _ = try await recording.send(request, maximumBodySize: 2)
        await #expect(throws: OAuthCoreError.self) { try await recording.send(request, maximumBodySize: 2) }
        #expect(recording.exchanges.map(\.failure) == [nil, "transportFailed"])
        #expect(recording.exchanges[0].description.contains("2 bytes"))
        #expect(recording.exchanges[0].parameterNames == ["y"])

        let playback = try PlaybackTransport(recording.recordingWithSecretsInClear())
        #expect(playback.remaining.map(\.requestWithSecretsInClear) == [request, request])
        #expect(try await playback.send(request, maximumBodySize: 2) == answer)
        await #expect(throws: OAuthCoreError.self) { try await playback.send(request, maximumBodySize: 2) }
    }

    @Test(arguments: [
        "", "{}", "[1]", "[{}]", #"[{"request":{"method":"GET","target":"a"}}]"#,
        #"[{"request":{"method":"GET","target":"a"},"response":{"status":99}}]"#,
        #"[{"request":{"method":"GET","target":"a","fields":[["a"]]},"response":{"status":200}}]"#,
        #"[{"request":{"method":"GET","target":"a"},"response":{"status":200,"body_base64url":"="}}]"#,
    ])
    func `what is not a recording is rejected`(text: String) {
        #expect(throws: OAuthTestingError.self) { try PlaybackTransport(Array(text.utf8)) }
    }

    private static func recordedSignIn() async throws -> SignedInApp {
        let app = try await SignedInApp()
        let session = try await signIn(app.server, through: app.recording)
        _ = try await SignedInApp.call(session)
        return app
    }

    /// A sign-in whose pages go through the transport too, with the first client of the server.
    private static func signIn(
        _ server: FakeAuthorizationServer,
        through transport: any ClientTransport
    ) async throws -> OAuthSession {
        let keys = DeterministicKeyStore(DeterministicEntropy(seed: 5))
        let client = try OAuth2Client(
            issuer: server.issuer,
            clientID: "my-app",
            redirectURI: "com.example.app:/callback",
            keyStore: keys,
            transport: transport,
            clock: server.clock,
            monotonicClock: server.clock,
            entropy: DeterministicEntropy(seed: 6)
        )
        let person = FakeUserAgent(
            username: "ada",
            password: FakeAuthorizationServer.defaultPassword,
            transport: transport
        )
        return try await client.signIn(scopes: SignedInApp.scopes, using: person)
    }
}
