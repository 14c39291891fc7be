// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import TestSupport
import Testing

/// Requests to the authorization server that change nothing if they reach it twice.
@Suite("A server that is not available for a moment is asked once more")
struct RepeatedRequestTests {
    private static let metadata = "/.well-known/oauth-authorization-server"
    private static let other = "/.well-known/openid-configuration"

    @Test(arguments: [429, 502, 503, 504])
    func `a pushed request is sent twice, each time with a proof of its own`(_ status: Int) async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.instead["/par"] = [HTTPResponse(status: status)] }
        _ = try await fixture.session()
        let sent = await fixture.server.requests(to: "/par")
        #expect(sent.count == 2)
        #expect(Set(sent.map { $0.fields["DPoP"] }).count == 2)
        #expect(await fixture.server.violations == [])
        // Half a second at most, at random.
        #expect(fixture.sleeper.sleeps.count == 1 && fixture.sleeper.sleeps.allSatisfy { $0 <= .milliseconds(500) })
    }

    @Test func `a pushed request whose answer is lost is sent again, since nothing comes of the first`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.losesResponses = ["/par"] }
        let error = await clientError { _ = try await fixture.session() }
        #expect(error?.code == .transportFailed)
        #expect(await fixture.server.requests(to: "/par").count == 2)
    }

    @Test func `other answers are not asked for twice`() async throws {
        let fixture = try SignInFixture()
        for response in [HTTPResponse.error(400, "invalid_request"), HTTPResponse(status: 500)] {
            await fixture.server.change { $0.instead["/par"] = [response] }
            #expect(await clientError { _ = try await fixture.session() } != nil)
        }
        #expect(await fixture.server.requests(to: "/par").count == 2)
        #expect(fixture.sleeper.sleeps == [])
    }

    @Test func `Retry-After is kept up to ten seconds, and a longer one is told`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let soon = HTTPResponse(status: 503, fields: ["Retry-After": "10"])
        let late = HTTPResponse(status: 503, fields: ["Retry-After": "11"])
        await fixture.server.change { $0.instead["/revoke"] = [soon] }
        guard case .revoked = await session.signOut().atServer else {
            Issue.record("the server was not told")
            return
        }
        #expect(fixture.sleeper.sleeps == [.seconds(10)])
        let second = try await fixture.session()
        await fixture.server.change { $0.instead["/revoke"] = [late] }
        guard case .pending(let error) = await second.signOut().atServer else {
            Issue.record("the client has waited for longer than ten seconds")
            return
        }
        #expect(error.retryAfter == .seconds(11))
        #expect(fixture.sleeper.sleeps == [.seconds(10)])
    }

    @Test func `metadata are asked for twice, unless there are older ones to go on with`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.unreachable = [Self.metadata] }
        let error = await clientError { try await fixture.client.fetchAuthorizationServerMetadata() }
        #expect(error?.code == .transportFailed)
        #expect(fixture.sleeper.sleeps.count == 1)
        let down = HTTPResponse(status: 503)
        await fixture.server.change {
            $0.unreachable = []
            $0.instead = [Self.metadata: [down], Self.other: [down]]
        }
        _ = try await fixture.session()
        #expect(fixture.sleeper.sleeps.count == 2)
        fixture.pass(.seconds(7200))
        await fixture.server.change { $0.instead = [Self.metadata: [down], Self.other: [down]] }
        _ = try await fixture.session()
        #expect(fixture.sleeper.sleeps.count == 2)
    }

    @Test func `a server that is down gets few requests more than it would`() async throws {
        let fixture = try SignInFixture()
        _ = try await fixture.client.fetchAuthorizationServerMetadata()
        await fixture.server.change { $0.unreachable = ["/par"] }
        for _ in 0..<40 { _ = await clientError { _ = try await fixture.session() } }
        // A reserve of ten, and one for ten requests.
        #expect((10...14).contains(fixture.sleeper.sleeps.count), "\(fixture.sleeper.sleeps.count)")
    }
}
