// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import Foundation
import HTTPMessage
import HTTPServer
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport
import ResourceServer
import SQLiteStorage
import ServerStorage
import Synchronization
import TestSupport
import Testing

@testable import KeyboundCommand

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("OpenID Connect at our own authorization server, over sockets, with our own client")
struct OpenIDAtOurServerTests {
    /// Where the server keeps what it knows.
    enum Storage: String, CaseIterable, Sendable {
        case memory, sqlite
    }

    private static let redirectURI = "http://127.0.0.1/callback"

    /// A server, an API, and two people.
    private struct Place {
        let issuer: String
        let apiAddress: String
        let listeners: [HTTPListener]
        /// Where the browser returns after the sign-out; it listens from the start, since its port is registered.
        let farewell: LoopbackReceiver
        let subject: String

        init(
            _ storage: any AuthorizationStorage,
            changing change: @escaping @Sendable (HTTPRequest) -> HTTPRequest = { $0 }
        ) async throws {
            let (authorization, api) = (LateBoundHandler(), LateBoundHandler())
            listeners = [
                try HTTPListener(port: 0, handler: authorization.respond),
                try HTTPListener(port: 0, handler: api.respond),
            ]
            farewell = try LoopbackReceiver(redirectURI: "http://127.0.0.1/bye")
            issuer = "http://127.0.0.1:\(listeners[0].port)"
            apiAddress = "http://127.0.0.1:\(listeners[1].port)"
            let administration = ServerAdministration(storage: storage)
            subject = try await administration.addUser(username: "ada", password: "a long password").subject
            _ = try await administration.addUser(username: "bob", password: "a long password")
            try await administration.addClient(
                RegisteredClient(
                    clientID: "app",
                    name: "App",
                    redirectURIs: [redirectURI],
                    scope: Scope(["openid", "profile", "notes:read"]),
                    postLogoutRedirectURIs: [farewell.redirectURI],
                    createdAt: SystemWallClock().now()
                )
            )
            let engine = try AuthorizationEngine(
                configuration: ServerConfiguration(
                    issuer: try URI(parsing: issuer),
                    audience: apiAddress,
                    scopes: ["openid", "profile", "notes:read"].map { ScopeDescription(name: $0) },
                    allowsInsecureLoopbackIssuer: true
                ),
                storage: storage,
                signingKey: SoftwareSigningKey(),
                idTokenKey: TestKey.rsa(),
                replay: MemoryReplayStore(),
                nonceSecrets: [DPoPNonceSecret(entropy: SystemEntropy())],
                report: { _ in }
            )
            authorization.set { await engine.respond(to: change($0)) }
            let requestGuard = try RequestGuard(
                configuration: GuardConfiguration(issuer: issuer, address: try URI(parsing: apiAddress)),
                keys: JWKSetCache(uri: try URI(parsing: issuer + "/jwks"), transport: PlatformTransport())
            )
            api.set(try NotesAPI(requestGuard: requestGuard).respond)
        }

        func client() throws -> OAuth2Client {
            try OAuth2Client(
                issuer: issuer,
                clientID: "app",
                redirectURI: redirectURI,
                configuration: .allowingInsecureHTTPOnLoopback
            )
        }

        /// A person's browser, which keeps its cookies, and the pages that they have seen.
        func browser(of username: String = "ada") -> (SystemBrowser, Pages) {
            let (launcher, pages) = launcher(of: username)
            return (SystemBrowser(launcher: launcher), pages)
        }

        /// The same, for more than sign-ins.
        func launcher(of username: String = "ada") -> (HeadlessBrowser, Pages) {
            let pages = Pages()
            let transcript = Transcript(style: TerminalStyle(isColored: false), output: pages.add)
            let answers = ["username": username, "password": "a long password"]
            return (HeadlessBrowser(answers: answers, transcript: transcript), pages)
        }

        func stop() async {
            for listener in listeners { await listener.stop(draining: .seconds(2)) }
        }
    }

    /// A browser that returns to a receiver which listens already.
    private struct ReturningBrowser: UserAgent {
        let receiver: LoopbackReceiver
        let launcher: HeadlessBrowser

        func authorize(
            redirectURI: String,
            _ makeRequest: @Sendable (_ redirectURI: String) async throws -> OAuthClient.AuthorizationRequest
        ) async throws -> AuthorizationCallback {
            let request = try await makeRequest(receiver.redirectURI)
            // It ends after the last page, which waits until the sign-out is over.
            _ = Task { try await launcher.open(request.url) }
            return try await receiver.callback(of: request, timeout: .seconds(60))
        }
    }

    /// Which pages were shown.
    private final class Pages: Sendable {
        private let lines = Mutex<[String]>([])

        @Sendable func add(_ line: String) { lines.withLock { $0.append(line) } }

        func count(_ title: String) -> Int { lines.withLock { $0.count { $0.contains("The page “\(title)") } } }
        var all: Int { count("") }
    }

    private func at(_ storage: Storage, _ body: (Place) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("keybound-oidc-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        switch storage {
        case .memory:
            let place = try await Place(MemoryAuthorizationStorage())
            try await body(place)
            await place.stop()
        case .sqlite:
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let store = try await SQLiteAuthorizationStorage(path: directory.appendingPathComponent("db").path)
            let place = try await Place(store)
            try await body(place)
            await place.stop()
            await store.close()
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: Storage.allCases)
    func `sign in, refresh, ask who it is, sign out here and there`(_ storage: Storage) async throws {
        try await at(storage) { place in
            let (launcher, pages) = place.launcher()
            let browser = SystemBrowser(launcher: launcher)
            let client = try place.client()
            let session = try await client.signIn(scopes: ["openid", "profile", "notes:read"], using: browser)
            let first = try await session.tokenManager.fetch()
            let idToken = try #require(first.idToken)
            #expect(idToken.subject == place.subject)
            #expect(idToken.authenticationMethods == ["pwd"])
            #expect(idToken.nonce != nil)

            let user = try await session.userInfo()
            #expect(user.subject == place.subject)
            #expect(user.preferredUsername == "ada")
            let notes = try #require(URL(string: place.apiAddress + "/notes"))
            let (_, answer) = try await session.data(for: URLRequest(url: notes))
            #expect((answer as? HTTPURLResponse)?.statusCode == 200)

            let second = try await session.tokenManager.refresh()
            let renewed = try #require(second.idToken)
            #expect(renewed.rawValue != idToken.rawValue)
            #expect(renewed.subject == place.subject)
            #expect(renewed.authTime == idToken.authTime)
            #expect(try await session.userInfo().subject == place.subject)

            // The person is signed in in the browser until they sign out: no password, then one again.
            _ = try await place.client().signIn(scopes: ["openid"], using: browser)
            #expect(pages.count("Sign in") == 1)
            let before = pages.all
            let returning = ReturningBrowser(receiver: place.farewell, launcher: launcher)
            try await session.signOut(using: returning, postLogoutRedirectURI: place.farewell.redirectURI)
            #expect(pages.all == before)
            _ = try await place.client().signIn(scopes: ["openid"], using: browser)
            #expect(pages.count("Sign in") == 2)
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: Storage.allCases)
    func `max_age, prompt and hints are kept, and the client checks that they are`(_ storage: Storage) async throws {
        try await at(storage) { place in
            let (browser, pages) = place.browser()
            let client = try place.client()
            var options = AuthorizationOptions()
            options.maxAge = .zero
            for number in 1...2 {
                _ = try await client.signIn(scopes: ["openid"], using: browser, options: options)
                #expect(pages.count("Sign in") == number)
            }
            options = AuthorizationOptions()
            options.maxAge = .seconds(600)
            let session = try await client.signIn(scopes: ["openid"], using: browser, options: options)
            #expect(pages.count("Sign in") == 2)

            options.prompts = [.login]
            options.idTokenHint = try await session.tokenManager.fetch().idToken
            _ = try await client.signIn(scopes: ["openid"], using: browser, options: options)
            #expect(pages.count("Sign in") == 3)

            // Somebody else, who was asked for ada.
            let (other, _) = place.browser(of: "bob")
            await #expect {
                _ = try await place.client().signIn(scopes: ["openid"], using: other, options: options)
            } throws: { ($0 as? OAuthClientError)?.answer?.error == .loginRequired }

            let shown = pages.all
            options = AuthorizationOptions()
            options.prompts = [.none]
            await #expect {
                _ = try await place.client().signIn(scopes: ["openid"], using: browser, options: options)
            } throws: { ($0 as? OAuthClientError)?.answer?.error == .consentRequired }
            #expect(pages.all == shown)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `an id_token is no access token, at the API and at userinfo`() async throws {
        try await at(.memory) { place in
            let session = try await place.client().signIn(scopes: ["openid", "notes:read"], using: place.browser().0)
            let tokens = try await session.tokenManager.fetch()
            let idToken = try #require(tokens.idToken).rawValue
            for address in [place.apiAddress + "/notes", place.issuer + "/userinfo"] {
                for token in [idToken, tokens.accessToken.value] {
                    let request = HTTPRequest(target: address, fields: ["Authorization": "DPoP \(token)"])
                    let answer = try await PlatformTransport().send(request, maximumBodySize: 65_536)
                    // The right token fails for want of a proof only; the other one is refused for what it is.
                    #expect(answer.status == 401)
                    let challenge = answer.fields["WWW-Authenticate"] ?? ""
                    #expect(challenge.contains("invalid_token") == (token == idToken), "\(challenge)")
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a nonce that somebody swaps on the way is found out by the client`() async throws {
        let place = try await Place(MemoryAuthorizationStorage()) { request in
            guard request.path == "/par", let form = try? FormParameters(decoding: request.body) else { return request }
            var (swapped, request) = (FormParameters(), request)
            for parameter in form.all {
                swapped.append(parameter.name, parameter.name == "nonce" ? "of another sign-in" : parameter.value)
            }
            request.body = Array(swapped.encoded().utf8)
            return request
        }
        await #expect {
            _ = try await place.client().signIn(scopes: ["openid"], using: place.browser().0)
        } throws: { ($0 as? OAuthClientError)?.code == .idTokenRejected }
        await place.stop()
    }
}
