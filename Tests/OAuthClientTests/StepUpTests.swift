// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthTransport
import StrictJSON
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("RFC 6750 section 3.1, RFC 9470: an API that demands more", .timeLimit(.minutes(2)))
struct StepUpTests {
    /// An app that asks its user, who always agrees or never does.
    private final class Asking: StepUpHandler {
        private let server: FakeServer
        private let agrees: Bool
        private let asked = Mutex<[StepUpNeed]>([])

        init(_ server: FakeServer, agrees: Bool = true) {
            (self.server, self.agrees) = (server, agrees)
        }

        var needs: [StepUpNeed] { asked.withLock { $0 } }

        func stepUp(_ need: StepUpNeed) async throws -> StepUpDecision {
            asked.withLock { $0.append(need) }
            return agrees ? .signIn(ApprovingUser(server: server)) : .deny
        }
    }

    private static let write = #"DPoP error="insufficient_scope", scope="api:write""#

    private func delete() throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: FakeServer.api)))
        request.httpMethod = "DELETE"
        return request
    }

    /// A server whose API demands `api:write`, and issues what is asked for.
    private func fixture(_ challenge: String = write) async throws -> SignInFixture {
        let fixture = try SignInFixture()
        await fixture.server.change { rules in
            rules.demandedScope = "api:write"
            rules.scopeChallenge = challenge
        }
        return fixture
    }

    @Test func `the user signs in once more, the request is repeated, and the session stays the same`() async throws {
        let fixture = try await fixture()
        let session = try await fixture.session()
        let before = try await session.tokenManager.fetch()
        let app = Asking(fixture.server)
        let (_, response) = try await session.data(for: delete(), steppingUp: app)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(app.needs.map(\.scopes) == [["api:read", "api:write"]])
        #expect(app.needs.first?.missing == ["api:write"])
        #expect(app.needs.first?.origin == "https://auth.example")
        let after = try await session.tokenManager.fetch()
        let both = try Scope(["api:read", "api:write"])
        #expect(after.scope == both)
        #expect(after.json["session"] == before.json["session"])
        // The next start has the same session, and so have others that use it now.
        let restored = try #require(try await fixture.client.restoreSession())
        #expect(try await restored.tokenManager.fetch() == after)
        try await session.refresh()
        #expect(await fixture.server.violations == [])
    }

    /// An app whose user takes until the gate opens.
    private struct Waiting: StepUpHandler {
        let server: FakeServer
        let gate: Gate
        let cancelled: Gate

        func stepUp(_ need: StepUpNeed) async throws -> StepUpDecision {
            await withTaskCancellationHandler {
                await gate.pass()
            } onCancel: {
                Task { await cancelled.pass() }
            }
            try Task.checkCancellation()
            return .signIn(ApprovingUser(server: server))
        }
    }

    @Test(arguments: [true, false])
    func `a call that is cancelled stops waiting at once, and the others get their sign-in`(
        _ cancelsOwner: Bool
    ) async throws {
        let fixture = try await fixture()
        let session = try await fixture.session()
        let (gate, cancelled) = (Gate(), Gate())
        let app = Waiting(server: fixture.server, gate: gate, cancelled: cancelled)
        let request = try delete()
        let owner = Task { try await session.data(for: request, steppingUp: app).1 }
        try await gate.arrival()
        let seen = await fixture.server.requests.count
        let waiter = Task { try await session.data(for: request, steppingUp: app).1 }
        while await fixture.server.requests.count == seen { try await Task.sleep(for: .milliseconds(1)) }
        // Its response is on the way; then it waits.
        for _ in 0..<1000 { await Task.yield() }
        let (first, second) = cancelsOwner ? (owner, waiter) : (waiter, owner)
        first.cancel()
        // The user has not answered yet.
        #expect(await clientError { _ = try await first.value }?.code == .cancelled)
        await gate.open()
        #expect(try await (second.value as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func `a sign-in that no call waits for any more is cancelled, and the next call begins its own`() async throws
    {
        let fixture = try await fixture()
        let session = try await fixture.session()
        let (gate, cancelled) = (Gate(), Gate())
        let app = Waiting(server: fixture.server, gate: gate, cancelled: cancelled)
        let request = try delete()
        let call = Task { try await session.data(for: request, steppingUp: app) }
        try await gate.arrival()
        call.cancel()
        #expect(await clientError { _ = try await call.value }?.code == .cancelled)
        try await cancelled.arrival()
        await gate.open()
        let (_, response) = try await session.data(for: request, steppingUp: Asking(fixture.server))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func `without a handler the 403 is returned like any other answer`() async throws {
        let fixture = try await fixture()
        let session = try await fixture.session()
        #expect(try await fixture.send(session, delete()).status == 403)
        #expect(await fixture.server.refreshes == 0)
    }

    @Test func `a user who does not want to is not asked by the library again, and the error says what is missing`()
        async throws
    {
        let fixture = try await fixture()
        let session = try await fixture.session()
        let app = Asking(fixture.server, agrees: false)
        let error = await clientError { _ = try await session.data(for: delete(), steppingUp: app) }
        #expect(error?.code == .insufficientScope)
        #expect(error?.status == 403)
        #expect(error?.scopeChallenge?.scopes == ["api:write"])
        #expect(error?.recovery == .signInForMore)
        #expect(app.needs.count == 1)
    }

    @Test func `twenty calls that meet the demand together cause one sign-in`() async throws {
        let fixture = try await fixture()
        let session = try await fixture.session()
        let app = Asking(fixture.server)
        let request = try delete()
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let (_, response) = try await session.data(for: request, steppingUp: app)
                    return (response as? HTTPURLResponse)?.statusCode
                }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(app.needs.count == 1)
    }

    @Test func `an API that is never content opens no second browser for a call, and three in an hour`() async throws {
        let fixture = try await fixture()
        // The server grants less than the API demands.
        await fixture.server.change { $0.tokenMembers = ["scope": "api:read"] }
        let session = try await fixture.session()
        let app = Asking(fixture.server)
        for _ in 0..<5 {
            let error = await clientError { _ = try await session.data(for: delete(), steppingUp: app) }
            #expect(error?.code == .insufficientScope)
        }
        #expect(app.needs.count == 3)
        fixture.pass(.seconds(3601))
        _ = await clientError { _ = try await session.data(for: delete(), steppingUp: app) }
        #expect(app.needs.count == 4)
    }

    @Test func `only sign-ins of the user count: no denials of the app, and no server that is down`() async throws {
        let fixture = try await fixture()
        let session = try await fixture.session()
        let denying = Asking(fixture.server, agrees: false)
        for _ in 0..<8 { _ = await clientError { _ = try await session.data(for: delete(), steppingUp: denying) } }
        #expect(denying.needs.count == 8)
        let app = Asking(fixture.server)
        for _ in 0..<8 {
            let down = Array(repeating: HTTPResponse(status: 503), count: 10)
            await fixture.server.change { $0.instead["/par"] = down }
            let error = await clientError { _ = try await session.data(for: delete(), steppingUp: app) }
            #expect(error?.code == .serverUnavailable)
        }
        await fixture.server.change { $0.instead = [:] }
        let (_, response) = try await session.data(for: delete(), steppingUp: app)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(app.needs.count == 9)
    }

    /// A user who closes the browser.
    private struct Closing: StepUpHandler, UserAgent {
        func stepUp(_ need: StepUpNeed) async throws -> StepUpDecision { .signIn(self) }

        func authorize(
            redirectURI: String,
            _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
        ) async throws -> AuthorizationCallback {
            _ = try await makeRequest(redirectURI)
            throw CancellationError()
        }
    }

    @Test func `a user who closes the browser is asked three times in an hour`() async throws {
        let fixture = try await fixture()
        let session = try await fixture.session()
        for number in 1...5 {
            let error = await clientError { _ = try await session.data(for: delete(), steppingUp: Closing()) }
            let expected: OAuthClientError.Code = number <= 3 ? .cancelled : .insufficientScope
            #expect(error?.code == expected)
        }
    }

    @Test func `an API that demands another scope each time opens six browsers in an hour, over several sessions`()
        async throws
    {
        let fixture = try await fixture()
        await fixture.server.change { $0.tokenMembers = ["scope": "api:read"] }
        var session = try await fixture.session()
        let app = Asking(fixture.server)
        for number in 1...10 {
            // A new sign-in does not begin anew.
            if number == 4 { session = try await fixture.session() }
            await fixture.server.change {
                $0.scopeChallenge = "DPoP error=\"insufficient_scope\", scope=\"scope\(number)\""
            }
            let error = await clientError { _ = try await session.data(for: delete(), steppingUp: app) }
            #expect(error?.code == .insufficientScope)
            #expect(app.needs.count == min(number, 6))
        }
        fixture.pass(.seconds(3600))
        _ = await clientError { _ = try await session.data(for: delete(), steppingUp: app) }
        #expect(app.needs.count == 7)
    }

    @Test func `an API may demand a sign-in for each payment, twenty times in an hour, if it then accepts the call`()
        async throws
    {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let app = Asking(fixture.server)
        let request = HTTPRequest(target: FakeServer.api)
        for number in 1...21 {
            await fixture.server.change { rules in
                rules.instead["/api/items"] = [
                    .challenge(#"DPoP error="insufficient_user_authentication", max_age="60""#)
                ]
            }
            if number <= 20 {
                #expect(try await session.send(request, steppingUp: app).status == 200)
            } else {
                let error = await clientError { _ = try await session.send(request, steppingUp: app) }
                #expect(error?.code == .stepUpRequired)
            }
            #expect(app.needs.count == min(number, 20))
        }
    }

    @Test func `a demand for what was granted, or for nothing in particular, is final`() async throws {
        for challenge in [#"DPoP error="insufficient_scope", scope="api:read""#, #"DPoP error="insufficient_scope""#] {
            let fixture = try await fixture(challenge)
            let session = try await fixture.session()
            let app = Asking(fixture.server)
            let error = await clientError { _ = try await session.data(for: delete(), steppingUp: app) }
            #expect(error?.code == .insufficientScope)
            #expect(app.needs.isEmpty)
        }
    }

    @Test func `a stronger sign-in is demanded the same way`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { rules in
            rules.instead["/api/items"] = [
                .challenge(#"DPoP error="insufficient_user_authentication", acr_values="mfa", max_age="60""#)
            ]
        }
        let session = try await fixture.session()
        let app = Asking(fixture.server)
        let request = HTTPRequest(target: FakeServer.api)
        #expect(try await session.send(request, steppingUp: app).status == 200)
        #expect(app.needs.first?.authentication?.acrValues == ["mfa"])
        let pushed = try #require(await fixture.server.requests(to: "/par").last)
        let form = try FormParameters(decoding: pushed.body)
        #expect(try form.value(for: "acr_values") == "mfa")
        #expect(try form.value(for: "max_age") == "60")
    }

    @Test func `a body that can be read only once is not sent again`() async throws {
        let fixture = try await fixture()
        _ = try await fixture.session()
        let client = try OAuth2Client(
            issuer: FakeServer.issuer,
            clientID: "my-app",
            redirectURI: "com.example.app:/callback",
            keyStore: fixture.keyStore,
            tokenStore: fixture.tokenStore,
            transport: StreamReadingTransport(server: fixture.server),
            clock: fixture.clock
        )
        let session = try #require(try await client.restoreSession())
        let app = Asking(fixture.server)
        let stream = RequestBody.stream(RequestBodyStream { nil }, length: 0)
        let request = HTTPRequest(method: "DELETE", target: FakeServer.api)
        let error = await clientError { _ = try await session.send(request, body: stream, steppingUp: app) }
        #expect(error?.code == .bodyNotReplayable)
        #expect(app.needs.isEmpty)
    }

    @Test func `the challenge is read with care`() throws {
        func challenge(_ text: String) throws -> ScopeChallenge? { try ScopeChallenge(Challenge.parse([text])) }
        #expect(try challenge(#"Basic error="insufficient_scope", scope="a""#) == nil)
        #expect(try challenge(#"Bearer error="invalid_token", scope="a""#) == nil)
        #expect(
            try challenge(#"Bearer realm="x", DPoP error="insufficient_scope", scope="a b""#)?.scopes == ["a", "b"]
        )
        let long = String(repeating: "a", count: 3000)
        #expect(try challenge(#"Bearer error="insufficient_scope", scope="\#(long)""#)?.scopes == [])
        let found = try challenge(#"Bearer error="insufficient_scope", resource_metadata="https://api.example/m""#)
        #expect(found?.resourceMetadata == "https://api.example/m")
    }
}
