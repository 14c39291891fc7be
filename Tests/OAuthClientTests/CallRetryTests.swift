// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthCore
import OAuthTransport
import TestSupport
import Testing

@testable import OAuthClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Calls to an API that fail for the moment")
struct CallRetryTests {
    private static func unavailable(_ status: Int, retryAfter: String? = nil) -> HTTPResponse {
        var response = HTTPResponse(status: status)
        response.fields["Retry-After"] = retryAfter
        return response
    }

    private func fixture(_ policy: RetryPolicy = .standard) throws -> SignInFixture {
        try SignInFixture { $0.retries = policy }
    }

    private func calls(_ fixture: SignInFixture) async -> [HTTPRequest] {
        await fixture.server.requests(to: "/api/items")
    }

    private func request(_ method: String, key: String? = nil) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: FakeServer.api)))
        request.httpMethod = method
        request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
        return request
    }

    @Test(arguments: [429, 502, 503, 504])
    func `a call that may be repeated is sent three times at most, each time with a proof of its own`(
        _ status: Int
    )
        async throws
    {
        let fixture = try fixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.instead["/api/items"] = [Self.unavailable(status), Self.unavailable(status)] }
        #expect(try await fixture.get(session).status == 200)
        let sent = await calls(fixture)
        #expect(sent.count == 3)
        #expect(Set(sent.compactMap { $0.fields["DPoP"] }).count == 3)
        #expect(await fixture.server.violations == [])
        // At most half a second, then a second, in part at random.
        #expect(fixture.sleeper.sleeps.count == 2)
        #expect(fixture.sleeper.sleeps[0] <= .milliseconds(500) && fixture.sleeper.sleeps[1] <= .seconds(1))

        await fixture.server.change {
            $0.instead["/api/items"] = [Self.unavailable(status), Self.unavailable(status), Self.unavailable(status)]
        }
        #expect(try await fixture.get(session).status == status)
        #expect(await calls(fixture).count == 6)
    }

    @Test func `by default nothing is sent again`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.instead["/api/items"] = [Self.unavailable(503)] }
        #expect(try await fixture.get(session).status == 503)
        #expect(await calls(fixture).count == 1)
    }

    @Test(arguments: [("POST", nil, 1), ("PATCH", nil, 1), ("POST", "k-1", 2), ("PUT", nil, 2), ("DELETE", nil, 2)])
    func `a method that changes something is sent again only if the API can tell`(
        _ method: String,
        _ key: String?,
        _ count: Int
    ) async throws {
        let fixture = try fixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.instead["/api/items"] = [Self.unavailable(503)] }
        _ = try await fixture.send(session, request(method, key: key))
        #expect(await calls(fixture).count == count)
    }

    @Test func `a call of which nothing was sent is sent again, whatever its method`() async throws {
        let fixture = try fixture(RetryPolicy(maximumAttempts: 2))
        let session = try await fixture.session()
        await fixture.server.change { $0.unreachable = ["/api/items"] }
        let error = await clientError { _ = try await fixture.send(session, request("POST")) }
        #expect(error?.code == .transportFailed)
        #expect(await calls(fixture).count == 2)
    }

    @Test(arguments: [("GET", 2), ("POST", 1)])
    func `a call whose response is lost may have been processed`(_ method: String, _ count: Int) async throws {
        let fixture = try fixture(RetryPolicy(maximumAttempts: 2))
        let session = try await fixture.session()
        await fixture.server.change { $0.losesResponses = ["/api/items"] }
        let error = await clientError { _ = try await fixture.send(session, request(method)) }
        #expect(error?.code == .transportFailed)
        #expect(await calls(fixture).count == count)
    }

    @Test(arguments: [("7", 2), ("30", 2), ("31", 1), ("never", 2)])
    func `what the API asks for is waited for, within reason`(_ retryAfter: String, _ count: Int) async throws {
        let fixture = try fixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.instead["/api/items"] = [Self.unavailable(503, retryAfter: retryAfter)] }
        #expect(try await fixture.get(session).status == (count == 2 ? 200 : 503))
        #expect(await calls(fixture).count == count)
        if let seconds = Int(retryAfter), count == 2 { #expect(fixture.sleeper.sleeps == [.seconds(seconds)]) }
    }

    @Test func `a body that is a stream is not sent again`() async throws {
        let fixture = try fixture()
        let exchange = try await fixture.session().protectedExchange
        let answer = StreamedResponse(Self.unavailable(503))
        for (body, isSentAgain) in [
            (RequestBody.inMemory, true), (.file(path: "/etc/hostname"), true),
            (.stream(RequestBodyStream { nil }, length: nil), false),
        ] {
            let request = HTTPRequest(method: "PUT", target: FakeServer.api)
            let call = try ProtectedCall(request, body: body, timeout: nil, fixture.client.urlPolicy)
            var state = try await exchange.begin()
            state.attempts = 1
            #expect(try await exchange.waitToRepeat(after: answer, call, &state) == isSentAgain)
        }
    }

    @Test func `an API that is down gets one request more for ten calls`() async throws {
        let fixture = try fixture(RetryPolicy(maximumAttempts: 10))
        let session = try await fixture.session()
        await fixture.server.change {
            $0.instead["/api/items"] = (0..<1000).map { _ in Self.unavailable(503) }
        }
        for _ in 0..<50 { _ = try await fixture.get(session) }
        // The reserve of ten, and one for ten of the calls after it.
        #expect((64...66).contains(await calls(fixture).count))
    }

    @Test func `a policy has sane bounds`() {
        #expect(RetryPolicy(maximumAttempts: -1) == .none)
        #expect(RetryPolicy.none.longestWait(after: 1, asked: nil) == nil)
        #expect(RetryPolicy(maximumAttempts: .max).longestWait(after: 1 << 40, asked: nil) == .seconds(30))
    }
}
