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
import ResourceServer
import ServerStorage
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("RFC 9470 end to end: an API that demands a fresh sign-in, our server and our client")
struct StepUpAtOurServerTests {
    /// A server, and an API of which one path demands a sign-in of the last five minutes; all with one clock.
    private struct Place {
        let issuer: String
        let apiAddress: String
        let clock = FixedClock(secondsSince1970: SystemWallClock().now().secondsSince1970)
        private let listeners: [HTTPListener]

        init() async throws {
            let (authorization, api) = (LateBoundHandler(), LateBoundHandler())
            listeners = [
                try HTTPListener(port: 0, handler: authorization.respond),
                try HTTPListener(port: 0, handler: api.respond),
            ]
            issuer = "http://127.0.0.1:\(listeners[0].port)"
            apiAddress = "http://127.0.0.1:\(listeners[1].port)"
            let storage = MemoryAuthorizationStorage()
            let administration = ServerAdministration(storage: storage, clock: clock)
            _ = try await administration.addUser(username: "ada", password: "a long password")
            try await administration.addClient(
                RegisteredClient(
                    clientID: "app",
                    name: "App",
                    redirectURIs: ["http://127.0.0.1/callback"],
                    scope: Scope(["notes:read"]),
                    createdAt: clock.now()
                )
            )
            let engine = try AuthorizationEngine(
                configuration: ServerConfiguration(
                    issuer: try URI(parsing: issuer),
                    audience: apiAddress,
                    scopes: [ScopeDescription(name: "notes:read")],
                    allowsInsecureLoopbackIssuer: true
                ),
                storage: storage,
                signingKey: SoftwareSigningKey(),
                replay: MemoryReplayStore(),
                nonceSecrets: [DPoPNonceSecret(entropy: SystemEntropy())],
                clock: clock,
                report: { _ in }
            )
            authorization.set { await engine.respond(to: $0) }
            let requestGuard = try RequestGuard(
                configuration: GuardConfiguration(issuer: issuer, address: try URI(parsing: apiAddress)),
                keys: JWKSetCache(uri: try URI(parsing: issuer + "/jwks"), transport: PlatformTransport()),
                clock: clock
            )
            api.set { request in
                let age: Duration? = request.path == "/payments" ? .seconds(300) : nil
                switch await requestGuard.check(request, for: GuardRequirement(maximumAge: age)) {
                case .rejected(let rejection): return rejection.response
                case .accepted(let authorized): return HTTPResponse(status: 200, fields: authorized.responseFields)
                }
            }
        }

        func client() throws -> OAuth2Client {
            try OAuth2Client(
                issuer: issuer,
                clientID: "app",
                redirectURI: "http://127.0.0.1/callback",
                configuration: .allowingInsecureHTTPOnLoopback,
                clock: clock
            )
        }

        func stop() async {
            for listener in listeners { await listener.stop(draining: .seconds(2)) }
        }
    }

    /// The user's browser, which keeps its cookies, and how often it asked for the password.
    private final class Browser: StepUpHandler {
        private let pages = Mutex<[String]>([])
        private let asked = Mutex<[StepUpNeed]>([])
        private let launcher = Mutex<HeadlessBrowser?>(nil)

        init() {
            let transcript = Transcript(style: TerminalStyle(isColored: false)) { [weak self] line in
                self?.pages.withLock { $0.append(line) }
            }
            let answers = ["username": "ada", "password": "a long password"]
            launcher.withLock { $0 = HeadlessBrowser(answers: answers, transcript: transcript) }
        }

        var needs: [StepUpNeed] { asked.withLock { $0 } }
        var logins: Int { pages.withLock { $0.count { $0.contains("Sign in") && $0.contains("The page") } } }

        func userAgent() throws -> SystemBrowser {
            SystemBrowser(launcher: try #require(launcher.withLock { $0 }))
        }

        func stepUp(_ need: StepUpNeed) async throws -> StepUpDecision {
            asked.withLock { $0.append(need) }
            return .signIn(try userAgent())
        }
    }

    @Test func `a session of ten minutes, an API that takes five, one new sign-in, and the call succeeds`() async throws
    {
        let place = try await Place()
        let (client, browser) = (try place.client(), Browser())
        let session = try await client.signIn(scopes: ["notes:read"], using: browser.userAgent())
        let payments = HTTPRequest(method: "POST", target: place.apiAddress + "/payments")
        #expect(try await session.send(payments).status == 200)
        place.clock.advance(by: .seconds(600))
        // A refreshed token has the time of the old sign-in (RFC 9470 section 5).
        #expect(try await session.send(HTTPRequest(target: place.apiAddress + "/notes")).status == 200)
        let refusal = await #expect(throws: OAuthClientError.self) { try await session.send(payments) }
        #expect(refusal?.code == .stepUpRequired)
        #expect(browser.logins == 1)
        #expect(try await session.send(payments, steppingUp: browser).status == 200)
        #expect(browser.needs.count == 1 && browser.needs.first?.authentication?.maxAge == .seconds(300))
        #expect(browser.logins == 2)
        #expect(try await session.send(payments).status == 200)
        await place.stop()
    }
}
