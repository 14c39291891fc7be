// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@Suite("OpenID Connect Core section 12.2: the id_token of a refresh")
struct IDTokenRefreshTests {
    /// A session after a refresh whose id_token has these claims.
    private func refreshed(
        _ changes: JSONObject?,
        first: JSONObject = [:]
    ) async throws -> (fixture: OpenIDFixture, session: OAuthSession, error: OAuthClientError?) {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change {
            $0.claims = first
            $0.refreshClaims = changes
        }
        let session = try await fixture.session()
        fixture.clock.advance(by: .seconds(20))
        let error = await clientError { try await session.tokenManager.refresh() }
        return (fixture, session, error)
    }

    private func number(_ seconds: Int64) -> JSONValue {
        .number(JSONNumber(FixedClock().now().secondsSince1970 + seconds))
    }

    @Test func `trap 55: a newer id_token of the same sign-in takes the place of the old one`() async throws {
        let (fixture, session, error) = try await refreshed([:], first: ["auth_time": number(-5)])
        #expect(error == nil)
        let idToken = try #require(try await session.tokenManager.fetch().idToken)
        #expect(idToken.issuedAt == fixture.clock.now())
        // Claims that a refresh does not repeat keep the values of the sign-in.
        #expect(idToken.authTime == FixedClock().now() - .seconds(5))
        #expect(idToken.nonce?.utf8.count == 43)
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account)?.idToken == idToken)
    }

    @Test func `trap 55: without a newer id_token the old one stays`() async throws {
        let (_, session, error) = try await refreshed(nil)
        #expect(error == nil)
        #expect(try await session.tokenManager.fetch().idToken?.issuedAt == FixedClock().now())
    }

    @Test(
        arguments: [
            (["iss": "https://evil.example"], "iss"), (["sub": "mallory"], "sub"), (["sub": .null], "sub"),
            (["aud": ["my-app", "other"]], "aud"), (["aud": "other"], "aud"), (["azp": "my-app"], "azp"),
            (["nonce": "another"], "nonce"), (["auth_time": 1_789_999_999], "auth_time"),
        ] as [(JSONObject, String)]
    )
    func `trap 55: a refresh does not change who signed in, when, or for whom`(
        _ changes: JSONObject,
        _ name: String
    ) async throws {
        let (fixture, session, error) = try await refreshed(changes, first: ["auth_time": 1_789_999_990])
        #expect(error?.code == .sessionEnded)
        #expect((error?.underlying as? OAuthClientError)?.code == .idTokenRejected)
        #expect(error?.reason.contains("'\(name)' differs") == true)
        // The tokens may belong to another user: they are not stored.
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == nil)
        #expect(await clientError { _ = try await session.tokenManager.fetch() }?.code == .sessionEnded)
        #expect(try await fixture.provider.forms(at: "/revoke").count == 1)
    }

    @Test func `trap 55: iat is not older, and the other rules hold too`() async throws {
        #expect(try await refreshed(["iat": number(-1)]).error?.reason.contains("'iat' is older") == true)
        #expect(try await refreshed(["exp": number(0)]).error?.reason.contains("has expired") == true)
        #expect(try await refreshed(["at_hash": "x"]).error?.reason.contains("'at_hash' is not") == true)
    }

    @Test func `trap 55: the nonce may be repeated`() async throws {
        let fixture = try await OpenIDFixture()
        let session = try await fixture.session()
        let nonce = try #require(try await session.tokenManager.fetch().idToken?.nonce)
        await fixture.provider.change { $0.refreshClaims = ["nonce": .string(nonce)] }
        for _ in 1...2 { try await session.tokenManager.refresh() }
        #expect(try await session.tokenManager.fetch().idToken?.nonce == nonce)
    }

    @Test func `a server that sends the first id_token again is no reason to end the session`() async throws {
        let fixture = try await OpenIDFixture()
        let session = try await fixture.session()
        let first = try #require(try await session.tokenManager.fetch().idToken)
        await fixture.provider.change { $0.change = { _ in first.rawValue } }
        fixture.clock.advance(by: .seconds(3600))
        try await session.tokenManager.refresh()
        #expect(try await session.tokenManager.fetch().idToken == first)
    }

    @Test func `a refresh token that is good once is not lost because keys cannot be fetched`() async throws {
        let fixture = try await OpenIDFixture()
        let session = try await fixture.session()
        let before = try await session.tokenManager.fetch()
        // So old that the cached keys are no longer used.
        fixture.clock.advance(by: .seconds(7200))
        await fixture.provider.change { $0.instead["/jwks"] = [HTTPResponse(status: 503), HTTPResponse(status: 503)] }
        let after = try await session.tokenManager.refresh()
        #expect(after.refreshToken != before.refreshToken)
        #expect(after.idToken == before.idToken)
        // A contradicting id_token is rejected all the same.
        await fixture.provider.change { $0.refreshClaims = ["sub": "mallory"] }
        #expect(await clientError { try await session.tokenManager.refresh() }?.code == .sessionEnded)
    }

    @Test func `a server that signs with a key before it publishes it is no reason to end the session`() async throws {
        let fixture = try await OpenIDFixture()
        let session = try await fixture.session()
        let before = try await session.tokenManager.fetch()
        await fixture.provider.change { $0.keyID = "k2" }
        let after = try await session.tokenManager.refresh()
        #expect(after.refreshToken != before.refreshToken)
        #expect(after.idToken == before.idToken)
        #expect(try await fixture.provider.forms(at: "/revoke").isEmpty)
        // A contradicting id_token is rejected all the same.
        await fixture.provider.change { $0.refreshClaims = ["sub": "mallory"] }
        #expect(await clientError { try await session.tokenManager.refresh() }?.code == .sessionEnded)
    }

    @Test func `an id_token is kept through stores, with what a refresh did not repeat`() async throws {
        let (fixture, session, _) = try await refreshed([:], first: ["auth_time": number(-5)])
        let tokens = try await session.tokenManager.fetch()
        let read = try TokenSet(parsing: tokens.json)
        #expect(read == tokens)
        #expect(read.idToken?.authTime == tokens.idToken?.authTime)
        // Nothing is validated again: time and keys may have expired.
        fixture.clock.advance(by: .seconds(1_000_000))
        #expect(try await fixture.client.restoreSession() != nil)
        var damaged = tokens.json
        damaged["id_token"] = ["raw": "a.b.c"]
        #expect(throws: OAuthClientError.self) { try TokenSet(parsing: damaged) }
    }
}
#endif
