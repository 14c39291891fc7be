// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import StrictJSON
import Testing

@Suite("RFC 8707 section 2.2: access tokens for one resource at a time")
struct LimitedSessionTests {
    private let resources = ["https://auth.example/api/a", "https://auth.example/api/b"]

    private func sent(_ fixture: SignInFixture) async throws -> [[String]] {
        try await fixture.server.requests(to: "/token").map {
            try FormParameters(decoding: $0.body).values(for: "resource")
        }
    }

    @Test func `each resource has an access token of its own, the session keeps its own`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let own = try await session.tokenManager.fetch()
        let first = try await session.tokenManager.fetch(resources: [resources[0]])
        let second = try await session.tokenManager.fetch(resources: [resources[1]])
        #expect(try await session.tokenManager.fetch(resources: [resources[0]]) == first)
        #expect(Set([own, first, second].map(\.accessToken)).count == 3)
        #expect(first.resources == [resources[0]])
        let now = try await session.tokenManager.fetch()
        #expect(now.accessToken == own.accessToken)
        #expect(now.resources == [])
        #expect(try await sent(fixture) == [[], [resources[0]], [resources[1]]])
    }

    @Test func `a rotated refresh token is stored, and the next refresh uses it`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let first = try await session.tokenManager.fetch(resources: [resources[0]])
        let stored = try #require(await fixture.tokenStore.tokens(of: fixture.client.account))
        #expect(stored.refreshToken == first.refreshToken)
        #expect(stored.accessToken != first.accessToken)
        // The server responds with invalid_grant to a refresh token that was replaced.
        let refreshed = try await session.tokenManager.refresh()
        #expect(refreshed.resources == [])
        #expect(await fixture.server.violations == [])
    }

    @Test func `calls of a limited session carry its token, and a new one when that is rejected`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let limited = session.limited(to: [resources[0]])
        #expect(try await fixture.get(limited).status == 200)
        await fixture.server.forgetAccessTokens()
        #expect(try await fixture.get(limited).status == 200)
        #expect(try await fixture.get(session).status == 200)
        #expect(try await sent(fixture) == [[], [resources[0]], [resources[0]], []])
        #expect(await fixture.server.violations == [])
    }

    /// A store that leaves mutual exclusion to the session.
    private actor LocklessTokenStore: TokenStore {
        private var tokens: [ClientAccount: TokenSet] = [:]

        func tokens(of account: ClientAccount) -> TokenSet? { tokens[account] }
        func save(_ tokens: TokenSet, of account: ClientAccount) { self.tokens[account] = tokens }
        func deleteTokens(of account: ClientAccount) { tokens[account] = nil }
    }

    @Test(arguments: [true, false])
    func `trap 48: refreshes of all kinds take turns, and none spends a refresh token twice`(
        _ storeLocks: Bool
    ) async throws {
        let fixture = try SignInFixture(tokenStore: storeLocks ? nil : LocklessTokenStore())
        let session = try await fixture.session()
        let manager = session.tokenManager
        let resources = resources
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<24 {
                group.addTask {
                    switch index % 3 {
                    case 0: _ = try await manager.refresh()
                    default: _ = try await manager.fetch(resources: [resources[index % 3 - 1]])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await fixture.get(session).status == 200)
        #expect(await fixture.server.violations == [])
    }

    @Test func `an access token is renewed before it expires`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let first = try await session.tokenManager.fetch(resources: resources)
        fixture.pass(.seconds(299))
        let second = try await session.tokenManager.fetch(resources: resources)
        #expect(first.accessToken != second.accessToken)
    }

    @Test func `as long as its access token is good, a refresh that fails is no error`() async throws {
        let fixture = try SignInFixture()
        let manager = try await fixture.session().tokenManager
        let first = try await manager.fetch(resources: resources)
        fixture.pass(.seconds(299))
        await fixture.server.change { $0.instead["/token"] = Array(repeating: HTTPResponse(status: 503), count: 9) }
        #expect(try await manager.fetch(resources: resources) == first)
        // The client does not contact the server for a while.
        #expect(try await manager.fetch(resources: resources) == first)
        #expect(try await sent(fixture).count == 3)
        // Useless for a caller whose token was rejected, and for every caller once it has expired.
        let replacing = await clientError {
            _ = try await manager.fetch(resources: resources, replacing: first.accessToken)
        }
        #expect(replacing?.code == .serverUnavailable)
        fixture.pass(.seconds(1))
        let over = await clientError { _ = try await manager.fetch(resources: resources) }
        #expect(over?.code == .serverUnavailable)
    }

    @Test func `a resource that the server refuses does not end the session`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.instead["/token"] = [.error(400, "invalid_target")] }
        let error = await clientError { _ = try await session.tokenManager.fetch(resources: [resources[0]]) }
        #expect(error?.answer?.error == .invalidTarget)
        #expect(try await fixture.get(session).status == 200)
        #expect(try await session.tokenManager.fetch(resources: [resources[1]]).resources == [resources[1]])
    }

    @Test func `after the end of the session there are no tokens for resources either`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        _ = try await session.tokenManager.fetch(resources: [resources[0]])
        await fixture.server.change { $0.instead["/token"] = [.error(400, "invalid_grant")] }
        let ended = await clientError { _ = try await session.tokenManager.fetch(resources: [resources[1]]) }
        #expect(ended?.code == .sessionEnded)
        let error = await clientError { _ = try await session.tokenManager.fetch(resources: [resources[0]]) }
        #expect(error?.code == .sessionEnded)
    }

    @Test func `stored tokens keep what they are for`() throws {
        var detail = AuthorizationDetail(type: "a")
        detail.otherMembers["x"] = [1, ["y": .null]]
        let tokens = TokenSet(
            accessToken: AccessToken("a"),
            tokenType: .dpop,
            expiresAt: nil,
            refreshToken: nil,
            scope: .empty,
            keyThumbprint: try JWKThumbprint("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"),
            resources: resources,
            authorizationDetails: [detail]
        )
        #expect(try TokenSet(parsing: tokens.json) == tokens)
        var damaged = tokens.json
        damaged["authorization_details"] = [["actions": []]]
        #expect(throws: OAuthClientError.self) { try TokenSet(parsing: damaged) }
    }
}
