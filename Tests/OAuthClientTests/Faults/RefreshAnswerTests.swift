// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import StrictJSON
import Testing

/// What becomes of the refresh token that a response brings, whatever else is in the response.
@Suite("RFC 9700 section 4.14.2: a consumed refresh token is never sent again")
struct RefreshAnswerTests {
    struct Answer: Sendable, CustomTestStringConvertible {
        let name: String
        let members: JSONObject
        var status = 200
        /// Whether the tokens cannot be used by policy, so that the session ends.
        var endsSession = false
        var isAccepted = false

        var testDescription: String { name }
    }

    static let answers: [Answer] = [
        Answer(name: "a scope that is a list", members: ["scope": .array(["a"])]),
        Answer(name: "a scope with a line break", members: ["scope": "a\u{0A}b"]),
        Answer(name: "an expires_in that is a word", members: ["expires_in": "soon"]),
        Answer(name: "an expires_in that is an object", members: ["expires_in": .object([:])]),
        Answer(name: "details without a type", members: ["authorization_details": .array([.object([:])])]),
        Answer(name: "no access token", members: ["access_token": .null]),
        Answer(name: "an access token with a space", members: ["access_token": "a b"]),
        Answer(name: "no token type", members: ["token_type": .null]),
        Answer(name: "an id_token that is a number", members: ["id_token": .number(JSONNumber(Int64(1)))]),
        Answer(name: "tokens of type Bearer", members: ["token_type": "Bearer"], endsSession: true),
        Answer(name: "tokens of an unknown type", members: ["token_type": "mac"], endsSession: true),
        Answer(name: "status 201", members: [:], status: 201, isAccepted: true),
    ]

    @Test(arguments: answers, [true, false])
    func `the refresh token is kept, or revoked and the session over`(_ answer: Answer, rotates: Bool) async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let old = try await session.tokenManager.fetch()
        await fixture.server.change { rules in
            rules.takesRepetitionForTheft = true
            rules.keepsRefreshTokens = !rotates
            rules.tokenMembers = answer.members
            rules.tokenStatus = answer.status
        }
        let error = await clientError { try await session.tokenManager.refresh() }
        await fixture.server.change { rules in
            rules.tokenMembers = [:]
            rules.tokenStatus = 200
        }
        if answer.endsSession {
            #expect(error?.code == .sessionEnded)
            #expect((error?.underlying as? OAuthClientError)?.code == .tokenTypeRejected)
            #expect(try await fixture.client.restoreSession() == nil)
            #expect(await fixture.server.goodRefreshTokens == [], "nothing is left valid at the server")
        } else {
            #expect(answer.isAccepted ? error == nil : error?.code == .malformedResponse)
            let stored = try #require(await fixture.tokenStore.tokens(of: fixture.client.account))
            #expect((stored.refreshToken != old.refreshToken) == rotates)
            try await session.tokenManager.refresh()
            let newest = try await session.tokenManager.fetch().accessToken.value
            #expect(await fixture.server.goodTokens.contains(newest))
        }
        #expect(await fixture.server.thefts == 0)
    }

    @Test func `invalid_grant of another endpoint than the token endpoint does not end the session`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        fixture.pass(.seconds(7200))
        await fixture.server.change {
            $0.instead["/.well-known/oauth-authorization-server"] = [.error(503, "invalid_grant")]
        }
        let error = await clientError { try await session.tokenManager.refresh() }
        #expect(error?.code != .sessionEnded)
        try await session.tokenManager.refresh()
    }
}
