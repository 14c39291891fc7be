// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import Synchronization
import Testing

@testable import KeyboundCommand

@Suite("The main job, over real sockets")
struct MainJobTests {
    @Test func `the demo signs in, calls, refreshes, and rejects seven attacks`() async throws {
        let lines = Mutex<[String]>([])
        let demo = Demo(options: DemoOptions(), style: TerminalStyle(isColored: false)) { line in
            lines.withLock { $0.append(line) }
        }
        #expect(try await demo.run())
        let text = lines.withLock { $0.joined(separator: "\n") }
        #expect(text.contains("5 of 5 attacks rejected"))
        #expect(text.contains("signed in without a browser; 2 of 2 attacks rejected"))
        #expect(!text.contains("✗"))
        // One screen: what happened, and not how; the other test has every message.
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count < 80)
        #expect(!text.contains("→ POST /token"))
    }

    @Test func `the demo prints no secret whole`() async throws {
        let lines = Mutex<[String]>([])
        let demo = Demo(options: DemoOptions(isVerbose: true), style: TerminalStyle(isColored: false)) { line in
            lines.withLock { $0.append(line) }
        }
        #expect(try await demo.run())
        let words = lines.withLock { $0.flatMap { $0.split { $0 == " " || $0 == "\"" } } }
        #expect(words.contains { $0.hasPrefix("kbr_") })
        #expect(words.contains("/token") && words.contains("/authorize-challenge"))
        // What the app itself asked for.
        let typed = lines.withLock { lines in lines.filter { $0.contains("password = ") } }
        #expect(!typed.isEmpty && typed.allSatisfy { $0.hasSuffix("password = (not shown)") })
        for word in words {
            #expect(!(word.hasPrefix("kb") && word.utf8.count >= 47), "a code or refresh token is printed whole")
            #expect(!(word.hasPrefix("eyJ") && word.utf8.count > 100), "a JWT is printed whole")
        }
    }

    /// Attacks 15, 16 and 17.
    @Test func `of 64 tasks that redeem one code one wins, and what it won is revoked`() async throws {
        let servers = try await DemoServers.start(port: 0) { _ in }
        let app = try DemoApp(servers: servers, usesBrowser: false, transcript: .silent)
        let callback = try await app.userAgent.authorize(redirectURI: DemoApp.redirectURI) { redirectURI in
            try await app.client.initiateAuthorization(scopes: [NotesAPI.scope], redirectURI: redirectURI)
        }
        let response = try await app.client.parseAuthorizationResponse(callback)
        let outcomes = await withTaskGroup(of: Result<TokenSet, OAuthClientError>.self) { group in
            for _ in 0..<64 {
                group.addTask { await Self.exchange(response, app.client) }
            }
            var outcomes: [Result<TokenSet, OAuthClientError>] = []
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        let winners = outcomes.compactMap { try? $0.get() }
        #expect(winners.count == 1)
        for case .failure(let error) in outcomes {
            #expect(error.code == .serverRejected)
        }
        let won = try #require(winners.first)
        await #expect { try await app.client.refreshAccessToken(won) } throws: { error in
            (error as? OAuthClientError)?.code == .sessionEnded || (error as? OAuthClientError)?.code == .serverRejected
        }
        await servers.stop()
    }

    private static func exchange(
        _ response: AuthorizationResponse,
        _ client: OAuth2Client
    ) async -> Result<TokenSet, OAuthClientError> {
        do throws(OAuthClientError) {
            return .success(try await client.exchangeAuthorizationCode(response))
        } catch {
            return .failure(error)
        }
    }
}

extension Transcript {
    /// Tells nobody.
    static var silent: Transcript {
        Transcript(style: TerminalStyle(isColored: false)) { _ in }
    }
}
