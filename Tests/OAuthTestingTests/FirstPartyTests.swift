// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTesting
import Testing

@Suite("Sign-in without a browser against the real engine")
struct FirstPartyTests {
    private struct App {
        let server: FakeAuthorizationServer
        let api: FakeResourceServer
        let recording: RecordingTransport
        let client: OAuth2Client

        init(redirectURI: String = "com.example.app:/callback") async throws {
            server = try await FakeAuthorizationServer()
            try await server.registerFirstPartyClient(redirectURIs: [redirectURI])
            api = try FakeResourceServer(for: server)
            try api.route("GET", "/notes", needing: ["api:read"], json: "[]")
            recording = RecordingTransport(server)
            client = try await server.makeClient(redirectURI: redirectURI, transport: recording)
        }

        func signIn(browser: Bool = true) async throws -> OAuthSession {
            try await client.signIn(
                scopes: ["api:read"],
                asking: server.prompter,
                fallback: browser ? server.userAgent : nil
            )
        }

        func first(_ options: AuthorizationOptions = AuthorizationOptions()) async throws -> FirstPartyProgress {
            try await client.startFirstPartySignIn(scopes: ["api:read"], options: options)
        }

        /// How often the authorization challenge endpoint was asked.
        var challenges: Int { recording.exchanges.count { $0.url.hasSuffix("/authorize-challenge") } }

        let password = StepAnswer.password(username: "ada", password: FakeAuthorizationServer.defaultPassword)
    }

    private static func step(_ progress: FirstPartyProgress) throws -> FirstPartySignIn {
        guard case .next(let signIn) = progress else { throw Unexpected() }
        return signIn
    }

    private struct Unexpected: Error {}

    @Test func `a user who answers is signed in without a page, and the API takes the tokens`() async throws {
        let app = try await App()
        let session = try await app.signIn(browser: false)
        #expect(try await SignedInApp.call(session) == 200)
        app.server.expireAccessTokens()
        #expect(try await SignedInApp.call(session) == 200)
        #expect(app.server.userAgent.pages == [])
        let questions = app.server.prompter.questions
        #expect(questions.map(\.steps) == [[.password(username: nil), .redirectToWeb]])
    }

    @Test func `wrong answers are asked again, and the fifth ends the sign-in`() async throws {
        let app = try await App()
        app.server.prompter.behavior = .answersWrongly(times: 2)
        _ = try await app.signIn(browser: false)
        #expect(app.server.prompter.questions.map(\.problem) == [nil, .wrongAnswer, .wrongAnswer])
        let other = try await App()
        other.server.prompter.behavior = .answersWrongly(times: 9)
        let error = await clientError { _ = try await other.signIn() }
        #expect(error?.code == .authorizationRejected)
        #expect(error?.answer?.error == .accessDenied)
        #expect(other.server.prompter.questions.count == 5)
        #expect(other.server.userAgent.pages == [])
    }

    @Test func `a user who gives up cancels, and one who wants the browser gets it`() async throws {
        let app = try await App()
        app.server.prompter.behavior = .givesUp
        #expect(await clientError { _ = try await app.signIn() }?.code == .cancelled)
        app.server.prompter.behavior = .choosesBrowser
        let session = try await app.signIn()
        #expect(try await SignedInApp.call(session) == 200)
        // In the browser the app is one like any other: it needs consent.
        #expect(app.server.userAgent.pages == ["Sign in", "Allow Test app to use your account?"])
    }

    @Test func `a lost answer ends the sign-in, and the next one is independent of it`() async throws {
        let app = try await App()
        let signIn = try Self.step(await app.first())
        app.server.answerNext(with: .responseLost, at: "/authorize-challenge")
        let error = await clientError { _ = try await signIn.answer(app.password) }
        #expect(error?.code == .signInExpired)
        #expect(try await SignedInApp.call(app.signIn()) == 200)
    }

    @Test func `an answer at a busy server can be given again`() async throws {
        let app = try await App()
        let signIn = try Self.step(await app.first())
        app.server.answerNext(with: .unavailable(retryAfter: .seconds(7)), at: "/authorize-challenge")
        let error = await clientError { _ = try await signIn.answer(app.password) }
        #expect(error?.code == .serverUnavailable && error?.retryAfter == .seconds(7))
        guard case .finished(let session) = try await signIn.answer(app.password) else { throw Unexpected() }
        #expect(try await SignedInApp.call(session) == 200)
    }

    @Test func `a nonce that rolls over between two steps costs one repetition`() async throws {
        let app = try await App()
        let signIn = try Self.step(await app.first())
        let before = app.challenges
        app.server.answerNext(with: .newNonceDemanded, at: "/authorize-challenge")
        guard case .finished = try await signIn.answer(app.password) else { throw Unexpected() }
        #expect(app.challenges == before + 2)
    }

    @Test func `an answer after the time of the sign-in is too late`() async throws {
        let app = try await App()
        let signIn = try Self.step(await app.first())
        #expect(signIn.state.expiresAt == app.server.clock.now() + .seconds(300))
        app.server.clock.advance(by: .seconds(301))
        #expect(await clientError { _ = try await signIn.answer(app.password) }?.code == .signInExpired)
        let state = signIn.state
        let error = await clientError { _ = try await app.client.resumeFirstPartySignIn(state) }
        #expect(error?.code == .signInExpired)
    }

    @Test func `an app that was stopped goes on at the same step`() async throws {
        let app = try await App()
        let state = try Self.step(await app.first()).state
        let kept = try FirstPartySignInState(parsing: state.json)
        let signIn = try await app.client.resumeFirstPartySignIn(kept)
        guard case .finished(let session) = try await signIn.answer(app.password) else { throw Unexpected() }
        #expect(try await SignedInApp.call(session) == 200)
    }

    @Test func `a finished sign-in does for the next request, until the API or the app wants a fresh one`() async throws
    {
        let app = try await App()
        _ = try await app.signIn()
        guard case .finished = try await app.first() else { throw Unexpected() }
        app.server.clock.advance(by: .seconds(60))
        var options = AuthorizationOptions()
        options.maxAge = .seconds(30)
        let signIn = try Self.step(await app.first(options))
        #expect(signIn.steps.first?.type == .password)
        guard case .finished = try await signIn.answer(app.password) else { throw Unexpected() }
        guard case .finished = try await app.first(options) else { throw Unexpected() }
    }

    @Test func `after sign-out, and after the end of the grant, the user is asked again`() async throws {
        let app = try await App()
        #expect(try await app.signIn().signOut().failure == nil)
        _ = try Self.step(await app.first())
        _ = try await app.signIn()
        try app.server.revokeSessions(of: "ada")
        _ = try Self.step(await app.first())
    }

    @Test func `the browser takes over with a redirect URI that needs a port`() async throws {
        let app = try await App(redirectURI: "http://127.0.0.1/callback")
        let signIn = try Self.step(await app.first())
        guard case .redirectToWeb(let continuation) = try await signIn.answer(.redirectToWeb) else {
            throw Unexpected()
        }
        let session = try await continuation.signIn(using: app.server.userAgent)
        #expect(try await SignedInApp.call(session) == 200)
    }

    @Test func `another client of the server signs in with its pages only`() async throws {
        let app = try await SignedInApp()
        let error = await clientError {
            _ = try await app.client.startFirstPartySignIn(scopes: SignedInApp.scopes)
        }
        #expect(error?.code == .firstPartyNotSupported)
        let session = try await app.client.signIn(
            scopes: SignedInApp.scopes,
            asking: app.server.prompter,
            fallback: app.server.userAgent
        )
        #expect(try await SignedInApp.call(session) == 200)
        #expect(app.server.prompter.questions == [])
    }

    @Test func `an attested app signs in with one attestation, and without one it is rejected`() async throws {
        let clock = TestClock()
        let attester = try SoftwareAttester(clock: clock)
        let server = try await FakeAuthorizationServer(clock: clock) { configuration in
            configuration.attesters = [attester.trusted(for: ["my-app"])]
            configuration.firstParty = FirstPartyPolicy(isOn: true)
        }
        try await server.registerFirstPartyClient(authenticatingBy: .attestationWithDPoP)
        var configuration = OAuth2ClientConfiguration()
        configuration.clientAuthentication = .attested(by: attester)
        let client = try await server.makeClient(configuration: configuration)
        server.prompter.behavior = .answersWrongly(times: 1)
        let session = try await client.signIn(scopes: ["api:read"], asking: server.prompter, fallback: nil)
        _ = try await session.refresh()
        #expect(attester.issuedCount == 1)
        let copy = try await server.makeClient()
        let error = await clientError { _ = try await copy.startFirstPartySignIn(scopes: ["api:read"]) }
        #expect(error?.code == .attestationRefused)
    }

    @Test func `a prompter prints no password`() {
        var printed = ""
        let prompter = FakePrompter(username: "ada", password: "MARK")
        dump(prompter, to: &printed)
        #expect(printed.contains("ada") && !(printed + "\(prompter)").contains("MARK"))
    }
}
