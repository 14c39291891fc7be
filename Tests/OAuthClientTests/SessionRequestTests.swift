// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import StrictJSON
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("RFC 9449 sections 7 and 9: requests of a session")
struct SessionRequestTests {
    private func apiRequest(_ url: String = FakeServer.api, method: String = "GET") throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        return request
    }

    @Test func `trap 22: a redirect is returned, not followed`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let redirect = HTTPResponse(status: 302, fields: ["Location": "https://evil.example/"])
        await fixture.server.change { $0.instead["/api/items"] = [redirect] }
        #expect(try await fixture.get(session).status == 302)
        #expect(await fixture.server.requests(to: "/api/items").count == 1)
    }

    @Test func `trap 23: the demand for a nonce is found behind a challenge of another scheme`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.apiNonces = .fixed("n1") }
        #expect(try await fixture.get(session).status == 200)
        #expect(await fixture.server.proofs.suffix(2).map(\.nonce) == [nil, "n1"])
    }

    @Test(arguments: [
        ("https://auth.example/api/items?a=b&c=%2F", "https://auth.example/api/items"),
        ("https://auth.example/api/a%252Fb", "https://auth.example/api/a%252Fb"),
        ("https://AUTH.example:443/api/items#top", "https://auth.example/api/items"),
        ("https://auth.example/api/%c3%bc/%2D", "https://auth.example/api/%c3%bc/%2D"),
    ])
    func `trap 26 and 27: htu is the final URL as it is sent, without query and fragment`(
        _ url: String,
        _ htu: String
    ) async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        _ = try await fixture.get(session, url)
        #expect(await fixture.server.violations == [])
        #expect(await fixture.server.proofs.last?.uri == htu)
    }

    @Test func `trap 28 to 30: after a refresh token, proof and ath belong together, and no proof is used twice`()
        async throws
    {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.forgetAccessTokens()
        #expect(try await fixture.get(session) == ("hello", 200))
        #expect(await fixture.server.violations == [])
        let hashes = await fixture.server.proofs.map(\.accessTokenHash)
        #expect(hashes.count == 5)
        // PAR, token, API, refresh, API: `ath` only at the API, with a different value after the refresh.
        #expect(hashes.map { $0 == nil } == [true, true, false, true, false])
        #expect(hashes[2] != hashes[4])
    }

    @Test func `trap 35: what the request had under these names is replaced`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        var request = try apiRequest()
        request.setValue("Bearer old", forHTTPHeaderField: "Authorization")
        request.setValue("old", forHTTPHeaderField: "dpop")
        request.setValue("text/plain", forHTTPHeaderField: "Accept")
        #expect(try await fixture.send(session, request) == ("hello", 200))
        let sent = try #require(await fixture.server.requests(to: "/api/items").first)
        #expect(sent.fields.values(for: "DPoP").count == 1)
        #expect(sent.fields.values(for: "Authorization").count == 1)
        #expect(sent.fields["Accept"] == "text/plain")
    }

    @Test func `trap 36: a demand in a JSON error is understood at an API too`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change {
            $0.apiNonces = .fixed("n1")
            $0.demandsNonceInChallenge = true
        }
        #expect(try await fixture.get(session).status == 200)
    }

    @Test func `trap 37: sends once more per request and then returns the answer`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.apiNonces = .neverGood("n1") }
        #expect(try await fixture.get(session).status == 401)
        #expect(await fixture.server.requests(to: "/api/items").count == 2)
        // The nonce is known now, and the server offers the same one again.
        #expect(try await fixture.get(session).status == 401)
        #expect(await fixture.server.requests(to: "/api/items").count == 3)
    }

    @Test func `trap 38: the nonces of the authorization server and of the API on one host are two`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change {
            $0.tokenNonces = .fixed("as")
            $0.apiNonces = .fixed("rs")
        }
        let session = try await fixture.session()
        _ = try await fixture.get(session)
        await fixture.server.forgetAccessTokens()
        _ = try await fixture.get(session)
        let nonces = await fixture.server.proofs.map(\.nonce)
        #expect(nonces == [nil, "as", "as", nil, "rs", "rs", "as", "rs"])
    }

    @Test func `trap 39: the nonce of a successful answer is used for the next request`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.apiNonces = .alwaysNew }
        for _ in 0..<3 { #expect(try await fixture.get(session).status == 200) }
        #expect(await fixture.server.requests(to: "/api/items").count == 4)
    }

    @Test func `trap 42: a body stream is sent once, and reported when it would have to be sent again`() async throws {
        let server = FakeServer()
        let client = try OAuth2Client(
            issuer: FakeServer.issuer,
            clientID: "my-app",
            redirectURI: "com.example.app:/callback",
            transport: StreamReadingTransport(server: server)
        )
        let session = try await client.signIn(scopes: [], using: ApprovingUser(server: server))
        await server.change { $0.apiNonces = .fixed("n1") }
        var request = try apiRequest(method: "POST")
        request.httpBodyStream = InputStream(data: Data("streamed".utf8))
        let error = await clientError { [request] in _ = try await session.data(for: request) }
        #expect(error?.code == .bodyNotReplayable)
        #expect(await server.requests(to: "/api/items").count == 1)
        // The nonce is known now: a new stream is sent only once.
        request.httpBodyStream = InputStream(data: Data("streamed".utf8))
        let (_, response) = try await session.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func `trap 42: a body in memory is sent again`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.apiNonces = .alwaysNew }
        var request = try apiRequest(method: "POST")
        request.httpBody = Data("body".utf8)
        #expect(try await fixture.send(session, request).status == 200)
        #expect(
            await fixture.server.requests(to: "/api/items").map(\.body) == [Array("body".utf8), Array("body".utf8)]
        )
    }

    @Test func `trap 44: a 403 does not refresh`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        #expect(try await fixture.send(session, apiRequest(method: "DELETE")).status == 403)
        #expect(await fixture.server.refreshes == 0)
    }

    @Test func `trap 44: a 403 does not refresh, whatever its error says`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let odd = HTTPResponse.challenge("DPoP error=\"invalid_token\"", status: 403)
        await fixture.server.change { $0.instead["/api/items"] = [odd] }
        #expect(try await fixture.get(session).status == 403)
        #expect(await fixture.server.refreshes == 0)
    }

    @Test func `trap 44: a token that is rejected again after the refresh is returned as it is`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let refused = HTTPResponse.challenge("DPoP error=\"invalid_token\"")
        await fixture.server.change { $0.instead["/api/items"] = [refused, refused, refused] }
        #expect(try await fixture.get(session).status == 401)
        #expect(await fixture.server.refreshes == 1)
        #expect(await fixture.server.requests(to: "/api/items").count == 2)
    }

    @Test func `a 401 without an error is returned as it is`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.instead["/api/items"] = [.challenge("DPoP algs=\"ES256\"")] }
        #expect(try await fixture.get(session).status == 401)
        #expect(await fixture.server.refreshes == 0)
    }

    @Test func `without a refresh token a refused token is returned as it is`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.tokenMembers = ["refresh_token": .null] }
        let session = try await fixture.session()
        await fixture.server.forgetAccessTokens()
        #expect(try await fixture.get(session).status == 401)
    }

    @Test(arguments: ["http://auth.example/api", "http://127.0.0.1/api", "ftp://auth.example/api"])
    func `a token is not sent over http`(_ url: String) async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let error = await clientError { _ = try await fixture.get(session, url) }
        #expect(error?.code == .insecureURL)
    }

    @Test func `a URL with user information is rejected`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let error = await clientError { _ = try await fixture.get(session, "https://a:b@auth.example/api") }
        #expect(error?.code == .invalidArgument)
    }
}
