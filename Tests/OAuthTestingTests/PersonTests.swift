// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthTesting
import ResourceServer
import Synchronization
import Testing

@Suite struct PersonTests {
    private static let both = ["Sign in", "Allow Test app to use your account?"]

    @Test func `a person types a password once and consents each time`() async throws {
        let app = try await SignedInApp()
        let person = app.server.userAgent
        _ = try await app.signIn()
        #expect(person.pages == Self.both)
        _ = try await app.signIn()
        #expect(person.pages == Self.both + Self.both.dropFirst())
        person.forgetCookies()
        _ = try await app.signIn()
        #expect(person.pages == Self.both + Self.both.dropFirst() + Self.both)
    }

    @Test func `a person who refuses, and one who closes the window`() async throws {
        let app = try await SignedInApp()
        app.server.userAgent.behavior = .refuses
        #expect(await clientError { _ = try await app.signIn() }?.answer?.error == .accessDenied)
        app.server.userAgent.behavior = .cancels
        #expect(await clientError { _ = try await app.signIn() }?.code == .cancelled)
        app.server.userAgent.behavior = .consents
        _ = try await app.signIn()
    }

    @Test func `a wrong password is told apart from everything else`() async throws {
        let app = try await SignedInApp()
        let stranger = FakeUserAgent(username: "ada", password: "wrong password", transport: app.server)
        let error = await clientError { _ = try await app.client.signIn(scopes: SignedInApp.scopes, using: stranger) }
        #expect(error?.code == .userAgentFailed)
        #expect((error?.underlying as? OAuthTestingError)?.code == .unexpectedPage)
        #expect((error?.underlying as? OAuthTestingError)?.reason.contains("403") == true)
    }

    @Test func `a page of errors is no page of the person`() async throws {
        let app = try await SignedInApp()
        app.server.answerNext(with: .unavailable(), at: "/authorize")
        let error = await clientError { _ = try await app.signIn() }
        #expect((error?.underlying as? OAuthTestingError)?.code == .unexpectedPage)
    }

    @Test func `pages that lead in circles come to an end`() async throws {
        let app = try await SignedInApp()
        let circle = HTTPResponse(status: 303, fields: ["Location": "/authorize"])
        app.server.answerNext(with: .answer(circle), times: 100, at: "/authorize")
        let error = await clientError { _ = try await app.signIn() }
        #expect((error?.underlying as? OAuthTestingError)?.code == .unexpectedPage)
    }

    @Test func `names that try to be HTML are read as they are shown`() async throws {
        let app = try await SignedInApp()
        let name = "A \"b\" & 'c' <i>"
        try await app.server.addClient("odd", redirectURIs: ["com.example.odd:/callback"], name: name)
        let client = try await app.server.makeClient(clientID: "odd", redirectURI: "com.example.odd:/callback")
        _ = try await client.signIn(scopes: SignedInApp.scopes, using: app.server.userAgent)
        #expect(app.server.userAgent.pages.last?.contains("&") == true)
        #expect(app.server.userAgent.pages.last?.contains("&amp;") == false)
    }

    @Test(arguments: [
        "http://127.0.0.1:49152/callback", "https://app.example/callback", "com.example.app:/callback?a=b",
        "https://auth.example/callback",
    ])
    func `every kind of redirect URI is recognised`(redirectURI: String) async throws {
        let server = try await FakeAuthorizationServer()
        let client = try await server.makeClient(redirectURI: redirectURI)
        _ = try await client.signIn(scopes: ["api:read"], using: server.userAgent)
    }

    @Test func `the API knows who is who`() async throws {
        let app = try await SignedInApp()
        let subjects = Mutex<[String]>([])
        try app.api.route("GET", "/me") { _, authorized in
            subjects.withLock { $0.append(authorized.subject) }
            return HTTPResponse(status: 204)
        }
        let bob = try await app.server.addPerson("bob")
        for person in [app.server.userAgent, bob, app.server.userAgent] {
            let session = try await app.client.signIn(scopes: SignedInApp.scopes, using: person)
            #expect(try await SignedInApp.call(session, "https://api.example/me?x=1") == 204)
        }
        let seen = subjects.withLock { $0 }
        #expect(seen.count == 3 && seen[0] == seen[2] && seen[0] != seen[1])
    }
}
