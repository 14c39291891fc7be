// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 6749 section 4.1.3, RFC 9449 section 5: the token request")
struct TokenRequestTests {
    /// The checked authorization response of a sign-in.
    private func response(_ fixture: SignInFixture) async throws -> AuthorizationResponse {
        let request = try await fixture.client.initiateAuthorization(scopes: ["a", "b"])
        return try await fixture.client.parseAuthorizationResponse(fixture.server.approve(request))
    }

    private func exchangeError(_ fixture: SignInFixture) async throws -> OAuthClientError? {
        let response = try await response(fixture)
        return await clientError { _ = try await fixture.client.exchangeAuthorizationCode(response) }
    }

    @Test(arguments: ["https://app.example/cb?a=%2f&b", "HTTPS://app.example/cb", "com.example.app:/callback"])
    func `trap 9: redirect_uri is byte by byte the one that was sent`(_ redirectURI: String) async throws {
        let fixture = try SignInFixture(redirectURI: redirectURI)
        _ = try await fixture.client.exchangeAuthorizationCode(response(fixture))
        let request = try #require(await fixture.server.requests(to: "/token").first)
        #expect(try FormParameters(decoding: request.body).value(for: "redirect_uri") == redirectURI)
    }

    @Test func `trap 18: nothing is in the query of the token URL`() async throws {
        let fixture = try SignInFixture()
        _ = try await fixture.session()
        #expect(await fixture.server.requests(to: "/token").map(\.target) == ["https://auth.example/token"])
    }

    @Test func `trap 20: a missing scope means as requested, a given one counts`() async throws {
        let fixture = try SignInFixture()
        #expect(try await fixture.client.exchangeAuthorizationCode(response(fixture)).scope == Scope(["a", "b"]))
        await fixture.server.change { $0.tokenMembers = ["scope": "a"] }
        #expect(try await fixture.client.exchangeAuthorizationCode(response(fixture)).scope == Scope(["a"]))
    }

    @Test(arguments: ["dpop", "DPOP", "DPoP"])
    func `trap 20: the token type is compared without case`(_ type: String) async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.tokenType = type }
        _ = try await fixture.session()
    }

    @Test func `trap 20: an unknown token type is unusable`() async throws {
        let fixture = try SignInFixture { $0.tokenBoundConfiguration = .acceptingBearerTokens }
        await fixture.server.change { $0.tokenType = "N_A" }
        #expect(try await exchangeError(fixture)?.code == .tokenTypeRejected)
    }

    @Test func `trap 21: an error page keeps status and Retry-After`() async throws {
        let fixture = try SignInFixture()
        let page = HTTPResponse(
            status: 502,
            fields: ["Content-Type": "text/html", "Retry-After": "7"],
            body: Array("<h1>Bad gateway</h1>".utf8)
        )
        await fixture.server.change { $0.instead["/token"] = [page] }
        let error = try await exchangeError(fixture)
        #expect(error?.code == .serverUnavailable)
        #expect(error?.status == 502)
        #expect(error?.retryAfter == .seconds(7))
        #expect(error?.answer == nil)
    }

    @Test func `trap 21: an error with an empty body is still an error`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.instead["/token"] = [HTTPResponse(status: 400)] }
        let error = try await exchangeError(fixture)
        #expect(error?.code == .malformedResponse)
        #expect(error?.status == 400)
    }

    @Test func `trap 22: a redirect of the token endpoint is not followed`() async throws {
        let fixture = try SignInFixture()
        let redirect = HTTPResponse(status: 307, fields: ["Location": "https://evil.example/token"])
        await fixture.server.change { $0.instead["/token"] = [redirect] }
        #expect(try await exchangeError(fixture)?.code == .malformedResponse)
        #expect(await fixture.server.requests(to: "/token").count == 1)
    }

    @Test func `trap 36: a challenge in place of a JSON error is understood`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change {
            $0.offersPAR = false
            $0.tokenNonces = .fixed("n1")
            $0.demandsNonceInChallenge = true
        }
        _ = try await fixture.session()
        #expect(await fixture.server.proofs.map(\.nonce) == [nil, "n1"])
    }

    @Test func `trap 37: sends once more and no further when no nonce is good enough`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.offersPAR = false }
        let response = try await response(fixture)
        await fixture.server.change { $0.tokenNonces = .neverGood("n1") }
        let error = await clientError { _ = try await fixture.client.exchangeAuthorizationCode(response) }
        #expect(error?.code == .serverRejected)
        #expect(error?.answer?.error == .useDPoPNonce)
        #expect(await fixture.server.requests(to: "/token").count == 2)
    }

    @Test func `trap 37: does not send again when the nonce is the one that it sent`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.tokenNonces = .fixed("n1") }
        let response = try await response(fixture)
        await fixture.server.change { $0.tokenNonces = .neverGood("n1") }
        _ = await clientError { _ = try await fixture.client.exchangeAuthorizationCode(response) }
        #expect(await fixture.server.requests(to: "/token").count == 1)
    }

    @Test func `trap 37: does not send again when a nonce is demanded but none given`() async throws {
        let fixture = try SignInFixture()
        let response = try await response(fixture)
        await fixture.server.change { $0.instead["/token"] = [.error(400, "use_dpop_nonce")] }
        let error = await clientError { _ = try await fixture.client.exchangeAuthorizationCode(response) }
        #expect(error?.answer?.error == .useDPoPNonce)
        #expect(await fixture.server.requests(to: "/token").count == 1)
    }

    @Test func `trap 40: asks for a nonce before it sends the code, when told so`() async throws {
        let fixture = try SignInFixture { $0.asksForNonceBeforeGrants = true }
        await fixture.server.change { $0.offersPAR = false }
        let response = try await response(fixture)
        await fixture.server.change { $0.tokenNonces = .fixed("n1") }
        _ = try await fixture.client.exchangeAuthorizationCode(response)
        let forms = try await fixture.server.requests(to: "/token").map { try FormParameters(decoding: $0.body) }
        #expect(try forms.filter { try $0.value(for: "code") != nil }.count == 1)
        #expect(await fixture.server.proofs.last?.nonce == "n1")
    }

    @Test func `trap 41: the retry has a new proof, and the same code and verifier`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.offersPAR = false }
        let response = try await response(fixture)
        await fixture.server.change { $0.tokenNonces = .fixed("n1") }
        _ = try await fixture.client.exchangeAuthorizationCode(response)
        let requests = await fixture.server.requests(to: "/token")
        #expect(requests.map(\.body)[0] == requests.map(\.body)[1])
        #expect(requests[0].fields["DPoP"] != requests[1].fields["DPoP"])
        #expect(await fixture.server.violations == [])
    }

    @Test func `trap 45: a wrong clock is set right by the server before a code is spent`() async throws {
        let fixture = try SignInFixture()
        // The device is ten minutes behind.
        await fixture.server.change {
            $0.date = "Mon, 21 Sep 2026 14:23:20 GMT"
            $0.time = Timestamp(secondsSince1970: 1_790_000_600)
        }
        _ = try await fixture.session()
        #expect(await fixture.server.requests(to: "/par").count == 2)
        #expect(await fixture.server.requests(to: "/token").count == 1)
    }

    @Test func `trap 45: the date of metadata, which a cache may have kept, is not believed`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.date = "Mon, 21 Sep 2026 14:23:20 GMT" }
        try await fixture.client.fetchAuthorizationServerMetadata()
        await fixture.server.change { $0.date = nil }
        _ = try await fixture.session()
        #expect(await fixture.server.proofs.first?.issuedAt == 1_790_000_000)
    }

    @Test func `trap 47: a refused proof and a clock that is far off lead to one more try`() async throws {
        let fixture = try SignInFixture()
        let response = try await response(fixture)
        await fixture.server.change {
            $0.date = "Mon, 21 Sep 2026 14:23:20 GMT"
            $0.time = Timestamp(secondsSince1970: 1_790_000_600)
        }
        _ = try await fixture.client.exchangeAuthorizationCode(response)
        #expect(await fixture.server.requests(to: "/token").count == 2)
    }

    @Test func `trap 47: a refused proof and a clock that is right lead to no other try`() async throws {
        let fixture = try SignInFixture()
        let response = try await response(fixture)
        await fixture.server.change { $0.time = Timestamp(secondsSince1970: 0) }
        let error = await clientError { _ = try await fixture.client.exchangeAuthorizationCode(response) }
        #expect(error?.answer?.error == .invalidDPoPProof)
        #expect(await fixture.server.requests(to: "/token").count == 1)
    }

    @Test func `trap 54: Bearer tokens in place of bound ones are thrown away`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.tokenType = "Bearer" }
        #expect(try await exchangeError(fixture)?.code == .tokenTypeRejected)
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == nil)
    }

    @Test func `trap 54: Bearer tokens are used as such when that was asked for by name`() async throws {
        let fixture = try SignInFixture { $0.tokenBoundConfiguration = .acceptingBearerTokens }
        await fixture.server.change { $0.tokenType = "bearer" }
        let session = try await fixture.session()
        #expect(try await fixture.get(session).body == "bearer")
        let request = try #require(await fixture.server.requests(to: "/api/items").first)
        #expect(request.fields["Authorization"]?.hasPrefix("Bearer ") == true)
        #expect(request.fields["DPoP"] == nil)
    }

    @Test func `a token response that is no JSON object is rejected`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.instead["/token"] = [HTTPResponse(status: 200, body: Array("[]".utf8))] }
        #expect(try await exchangeError(fixture)?.code == .malformedResponse)
    }

    @Test func `a network failure is one`() async throws {
        let fixture = try SignInFixture()
        let response = try await response(fixture)
        await fixture.server.change { $0.unreachable = ["/token"] }
        let error = await clientError { _ = try await fixture.client.exchangeAuthorizationCode(response) }
        #expect(error?.code == .transportFailed)
    }
}
