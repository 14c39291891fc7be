// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthClient
import OAuthCore
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Requests that another HTTP library sends: RFC 9449 sections 7 to 9")
struct SessionAuthorizationTests {
    /// A library that knows nothing of tokens: sends what it gets, as often as the session says.
    private static func call(
        _ session: OAuthSession,
        at fixture: SignInFixture,
        method: String = "GET"
    ) async throws -> (response: HTTPResponse, attempts: [AuthorizedAttempt]) {
        var attempts = [try await session.authorization(method: method, url: FakeServer.api)]
        while true {
            let request = HTTPRequest(
                method: method,
                target: FakeServer.api,
                fields: attempts[attempts.count - 1].fields
            )
            let response = try await fixture.server.send(request, maximumBodySize: 65_536)
            let next = try await session.authorization(
                after: attempts[attempts.count - 1],
                status: response.status,
                fields: response.fields,
                body: response.body
            )
            guard let next else { return (response, attempts) }
            attempts.append(next)
        }
    }

    @Test func `a call has token and proof, and each sending a proof of its own`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        for _ in 0..<2 {
            let (response, attempts) = try await Self.call(session, at: fixture)
            #expect(response.status == 200 && attempts.count == 1)
            #expect(attempts[0].fields.all.map(\.name) == ["Authorization", "DPoP"])
            #expect(attempts[0].fields["Authorization"]?.hasPrefix("DPoP ") == true)
        }
        #expect(await fixture.server.violations == [])
    }

    @Test func `a nonce that is demanded is learned, once, and kept for the next call`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.apiNonces = .fixed("n1") }
        let first = try await Self.call(session, at: fixture)
        #expect(first.response.status == 200 && first.attempts.count == 2)
        let second = try await Self.call(session, at: fixture)
        #expect(second.response.status == 200 && second.attempts.count == 1)
        await fixture.server.change { $0.apiNonces = .neverGood("n2") }
        let third = try await Self.call(session, at: fixture)
        #expect(third.response.status == 401 && third.attempts.count == 2)
    }

    @Test func `a token that is rejected is refreshed once, and the 401 is returned after that`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.rejectsAllTokens = true }
        let (response, attempts) = try await Self.call(session, at: fixture)
        #expect(response.status == 401 && attempts.count == 2)
        #expect(await fixture.server.refreshes == 1)
        #expect(attempts[0].fields["Authorization"] != attempts[1].fields["Authorization"])
    }

    /// Sends with `perform`; returns the response, and the proofs that were sent.
    private static func perform(
        _ session: OAuthSession,
        at fixture: SignInFixture,
        isBodyReplayable: Bool = true
    ) async throws -> (response: HTTPResponse, proofs: Set<String>) {
        var proofs: Set<String> = []
        let (method, url) = ("POST", FakeServer.api)
        let response = try await session.perform(method, url, isBodyReplayable: isBodyReplayable) { fields in
            proofs.insert(fields["DPoP"] ?? "")
            let request = HTTPRequest(method: method, target: url, fields: fields)
            return try await fixture.server.send(request, maximumBodySize: 65_536)
        } reading: {
            $0
        }
        return (response, proofs)
    }

    @Test func `in one call: sent again with another proof where that helps, and a body that is gone is not`()
        async throws
    {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.apiNonces = .fixed("n1") }
        await #expect(throws: OAuthClientError.self) {
            try await Self.perform(session, at: fixture, isBodyReplayable: false)
        }
        // The nonce was learned nevertheless.
        let streamed = try await Self.perform(session, at: fixture, isBodyReplayable: false)
        #expect(streamed.response.status == 200 && streamed.proofs.count == 1)
        await fixture.server.change { $0.apiNonces = .fixed("n2") }
        let repeated = try await Self.perform(session, at: fixture)
        #expect(repeated.response.status == 200 && repeated.proofs.count == 2)
        #expect(await fixture.server.violations == [])
    }

    @Test func `in one call: the library's own errors pass`() async throws {
        struct Broken: Error {}
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await #expect(throws: Broken.self) {
            try await session.perform("GET", FakeServer.api) { _ -> HTTPResponse in
                throw Broken()
            } reading: {
                $0
            }
        }
    }

    @Test func `URLRequest: fields are set in place of others, and the response is read from Foundation's type`()
        async throws
    {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        var request = URLRequest(url: try #require(URL(string: FakeServer.api + "?a=b")))
        request.setValue("Basic old", forHTTPHeaderField: "Authorization")
        let attempt = try await session.authorize(&request)
        #expect(request.value(forHTTPHeaderField: "Authorization") == attempt.fields["Authorization"])
        #expect(request.value(forHTTPHeaderField: "DPoP") == attempt.fields["DPoP"])
        let url = try #require(request.url)
        let demanding = try #require(
            HTTPURLResponse(
                url: url,
                statusCode: 401,
                httpVersion: nil,
                headerFields: ["WWW-Authenticate": "DPoP error=\"use_dpop_nonce\"", "DPoP-Nonce": "fresh"]
            )
        )
        let next = try #require(try await session.authorization(after: attempt, response: demanding))
        next.apply(to: &request)
        #expect(request.value(forHTTPHeaderField: "DPoP") != attempt.fields["DPoP"])
        let fine = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: [:]))
        #expect(try await session.authorization(after: next, response: fine) == nil)
    }

    @Test(arguments: ["http://auth.example/api", "auth.example/api", "https://ada@auth.example/api", ""])
    func `no token goes to an address that is not https`(url: String) async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let error = await #expect(throws: OAuthClientError.self) {
            try await session.authorization(method: "GET", url: url)
        }
        #expect(error?.code == .insecureURL || error?.code == .invalidArgument)
    }

    @Test func `the fields are not printed`() async throws {
        let session = try await SignInFixture().session()
        let attempt = try await session.authorization(method: "GET", url: FakeServer.api)
        var dumped = ""
        dump(attempt, to: &dumped)
        let token = try #require(attempt.fields["Authorization"]?.dropFirst(5))
        #expect(!dumped.contains(token) && !"\(attempt)".contains(token))
    }
}
