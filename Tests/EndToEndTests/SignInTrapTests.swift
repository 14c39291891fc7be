// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import SigningKeys
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

/// What a correct client gets right about one sign-in, shown at our server over real sockets.
@Suite("Sign-ins at a real server")
struct SignInTrapTests {
    private struct Attempt: Sendable {
        let request: AuthorizationRequest
        let callback: String
    }

    private func client(
        of servers: DemoServers,
        keyStore: any KeyStore = MemoryKeyStore(),
        transactionStore: any TransactionStore = MemoryTransactionStore(),
        clock: any WallClock = SystemWallClock()
    ) throws -> OAuth2Client {
        try OAuth2Client(
            issuer: servers.issuer,
            clientID: DemoServers.clientID,
            redirectURI: DemoApp.redirectURI,
            configuration: .allowingInsecureHTTPOnLoopback,
            keyStore: keyStore,
            transactionStore: transactionStore,
            clock: clock
        )
    }

    private func browser(of servers: DemoServers) -> HeadlessBrowser {
        HeadlessBrowser(
            answers: ["username": DemoServers.username, "password": servers.password],
            transcript: Transcript(style: TerminalStyle(isColored: false)) { _ in }
        )
    }

    /// Where the browser ends: nobody listens there.
    private func answer(to request: AuthorizationRequest, in browser: HeadlessBrowser) async throws -> String {
        await #expect(throws: OAuthClientError.self) { try await browser.open(request.url) }
        try #require(browser.address.hasPrefix(request.redirectURI))
        return browser.address
    }

    private func attempt(_ client: OAuth2Client, _ servers: DemoServers, port: UInt16 = 1) async throws -> Attempt {
        let request = try await client.initiateAuthorization(
            scopes: [NotesAPI.scope],
            redirectURI: "http://127.0.0.1:\(port)/callback"
        )
        return Attempt(request: request, callback: try await answer(to: request, in: browser(of: servers)))
    }

    /// Sign-ins that are begun all at once, in four browsers; each asks for the password once, since a code lives for a minute
    /// and hashing is slow.
    private func attempts(_ count: Int, _ client: OAuth2Client, _ servers: DemoServers) async throws -> [Attempt] {
        let requests = try await withThrowingTaskGroup(of: AuthorizationRequest.self) { group in
            for index in 0..<count {
                group.addTask {
                    try await client.initiateAuthorization(
                        scopes: [NotesAPI.scope],
                        redirectURI: "http://127.0.0.1:\(index + 1)/callback"
                    )
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        return try await withThrowingTaskGroup(of: [Attempt].self) { group in
            for user in 0..<4 {
                let browser = browser(of: servers)
                group.addTask {
                    var attempts: [Attempt] = []
                    for index in stride(from: user, to: requests.count, by: 4) {
                        let callback = try await answer(to: requests[index], in: browser)
                        attempts.append(Attempt(request: requests[index], callback: callback))
                    }
                    return attempts
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func code(_ operation: () async throws -> Void) async -> OAuthClientError.Code? {
        do {
            try await operation()
            return nil
        } catch {
            return (error as? OAuthClientError)?.code
        }
    }

    @Test func `trap 4: the verifier of a sign-in expires, and is gone once it was used`() async throws {
        let servers = try await DemoServers.start(port: 0) { _ in }
        let clock = FixedClock(secondsSince1970: SystemWallClock().now().secondsSince1970)
        let client = try client(of: servers, clock: clock)
        let late = try await attempt(client, servers)
        clock.advance(by: .seconds(600))
        #expect(await code { _ = try await client.resumeSignIn(late.callback) } == .unknownState)
        clock.set(to: SystemWallClock().now())
        #expect(await code { _ = try await client.resumeSignIn(late.callback) } == .unknownState)
        let good = try await attempt(client, servers)
        _ = try await client.resumeSignIn(good.callback)
        #expect(await code { _ = try await client.resumeSignIn(good.callback) } == .unknownState)
        await servers.stop()
    }

    @Test func `trap 5: state is compared before anything else is believed, and taken once`() async throws {
        let servers = try await DemoServers.start(port: 0) { _ in }
        let client = try client(of: servers)
        let attempt = try await attempt(client, servers)
        let state = attempt.request.state
        #expect(try Base64URL.decode(state).count == 32)
        let denied = attempt.request.redirectURI + "?error=access_denied&state=" + String(state.reversed())
        #expect(await code { _ = try await client.resumeSignIn(denied) } == .unknownState)
        _ = try await client.resumeSignIn(attempt.callback)
        #expect(await code { _ = try await client.resumeSignIn(attempt.callback) } == .unknownState)
        await servers.stop()
    }

    @Test func `trap 5: of 20 sign-ins at once each gets its own answer, and crossed answers are rejected`()
        async throws
    {
        let servers = try await DemoServers.start(port: 0) { _ in }
        let client = try client(of: servers)
        let attempts = try await attempts(20, client, servers)
        #expect(Set(attempts.map(\.request.state)).count == 20)
        // The code of one with the state of another one: redirect URI and verifier are not its own, and the sign-in is over.
        let crossed = try cross(attempts[18], attempts[19])
        #expect(await code { _ = try await client.resumeSignIn(crossed) } == .serverRejected)
        var generator = SeededGenerator(seed: 7)
        let shuffled = attempts.prefix(18).shuffled(using: &generator)
        let tokens = try await withThrowingTaskGroup(of: TokenSet.self) { group in
            for attempt in shuffled {
                group.addTask {
                    let response = try await client.parseAuthorizationResponse(attempt.callback)
                    #expect(response.transaction.state == attempt.request.state)
                    #expect(response.transaction.redirectURI == attempt.request.redirectURI)
                    return try await client.exchangeAuthorizationCode(response)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(tokens.map(\.accessToken)).count == 18)
        await servers.stop()
    }

    /// The answer to one sign-in, with the code of another.
    private func cross(_ one: Attempt, _ other: Attempt) throws -> String {
        let mine = try FormParameters(decoding: #require(URI(parsing: one.callback).query))
        let theirs = try FormParameters(decoding: #require(URI(parsing: other.callback).query))
        var mixed = FormParameters()
        for parameter in mine.all where parameter.name != "code" { mixed.append(parameter.name, parameter.value) }
        mixed.append("code", try #require(try theirs.value(for: "code")))
        return try URI(parsing: one.request.redirectURI).appendingQuery(mixed).description
    }

    @Test func `trap 7: a repeated parameter is rejected, an unknown one is ignored`() async throws {
        let servers = try await DemoServers.start(port: 0) { _ in }
        let client = try client(of: servers)
        for name in ["code", "iss", "unknown"] {
            let attempt = try await attempt(client, servers)
            let repeated = attempt.callback + "&\(name)=a&\(name)=b"
            #expect(await code { _ = try await client.resumeSignIn(repeated) } == .malformedCallback)
        }
        let attempt = try await attempt(client, servers)
        _ = try await client.resumeSignIn(attempt.callback + "&session_state=x&empty=")
        await servers.stop()
    }

    @Test func `trap 9: the token request has the redirect URI as it was sent, not as it came back`() async throws {
        let servers = try await DemoServers.start(port: 0) { _ in }
        let client = try client(of: servers)
        let attempt = try await attempt(client, servers, port: 4711)
        // Systems hand URLs over with the scheme in another case; the server compares byte by byte.
        let received = attempt.callback.replacing("http://", with: "HTTP://")
        let response = try await client.parseAuthorizationResponse(received)
        #expect(response.transaction.redirectURI == "http://127.0.0.1:4711/callback")
        _ = try await client.exchangeAuthorizationCode(response)
        await servers.stop()
    }

    @Test func `trap 11: the key of the pushed request redeems the code, and no other key does`() async throws {
        let servers = try await DemoServers.start(port: 0) { _ in }
        let transactions = MemoryTransactionStore()
        let keys = MemoryKeyStore()
        let first = try client(of: servers, keyStore: keys, transactionStore: transactions)
        let second = try client(of: servers, transactionStore: transactions)
        let stolen = try await attempt(first, servers)
        #expect(await code { _ = try await second.resumeSignIn(stolen.callback) } == .keyMissing)
        // Another key of the same account is no better.
        _ = try await second.initiateAuthorization(scopes: [NotesAPI.scope])
        let again = try await attempt(first, servers)
        #expect(await code { _ = try await second.resumeSignIn(again.callback) } == .keyMismatch)
        let good = try await attempt(first, servers)
        let session = try await client(of: servers, keyStore: keys, transactionStore: transactions)
            .resumeSignIn(good.callback)
        let alias = try #require(try await keys.aliases().first)
        let key = try #require(try await keys.load(alias))
        #expect(try await session.tokenManager.fetch().keyThumbprint == key.publicKey.thumbprint)
        await servers.stop()
    }
}
