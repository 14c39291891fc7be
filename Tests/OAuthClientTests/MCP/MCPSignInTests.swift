// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

@Suite("MCP: when the user is asked, and when not", .timeLimit(.minutes(1)))
struct MCPSignInTests {
    private let fixture = MCPFixture()
    private var world: MCPWorld { fixture.world }

    @Test func `a call that is cancelled returns at once and closes the browser, and the next call begins anew`()
        async throws
    {
        let gate = Gate()
        let authorization = try fixture.authorization(using: SlowMCPUser(world: world, gate: gate))
        let call = Task { try await authorization.session() }
        try await gate.arrival()
        call.cancel()
        #expect(await clientError { _ = try await call.value }?.code == .cancelled)
        // This user answers at once, since the gate is open.
        _ = try await authorization.session()
        let count = await world.authorizations.count
        #expect(count == 1)
    }

    @Test func `a sign-in goes on for the calls that still wait for it`() async throws {
        let gate = Gate()
        let authorization = try fixture.authorization(using: SlowMCPUser(world: world, gate: gate))
        let first = Task { try await authorization.session() }
        try await gate.arrival()
        let second = Task { try await authorization.session() }
        while await authorization.signingIn.waiterCount < 2 { try await Task.sleep(for: .milliseconds(1)) }
        first.cancel()
        #expect(await clientError { _ = try await first.value }?.code == .cancelled)
        await gate.open()
        let session = try await second.value
        #expect(try await authorization.session() === session)
        let (count, registrations) = await (world.authorizations.count, world.registrations.count)
        #expect(count == 1 && registrations == 1)
    }

    /// A user who closes the browser.
    private struct ClosingUser: UserAgent {
        let world: MCPWorld

        func authorize(
            redirectURI: String,
            _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
        ) async throws -> AuthorizationCallback {
            _ = try await world.approve(makeRequest(redirectURI))
            throw CancellationError()
        }
    }

    @Test func `an app whose user closes the browser registers again after every other sign-in at most`() async throws {
        let authorization = try fixture.authorization(using: ClosingUser(world: world))
        for _ in 0..<3 { #expect(await clientError { _ = try await authorization.session() }?.code == .cancelled) }
        let clients = await world.authorizations.map { $0["client_id"] }
        #expect(clients == ["client-1", "client-1", "client-2"])
    }

    @Test(arguments: [true, false])
    func `a user who does not sign in is asked three times in an hour, and again when the app says so`(
        _ closesBrowser: Bool
    ) async throws {
        await world.change { $0.callbackError = "access_denied" }
        let user: any UserAgent = closesBrowser ? ClosingUser(world: world) : MCPUser(world: world)
        let refusal: OAuthClientError.Code = closesBrowser ? .cancelled : .authorizationRejected
        let elapsed = FixedElapsedTime()
        let authorization = try fixture.authorization(using: user, elapsed: elapsed)
        let request = HTTPRequest(target: MCPWorld.server)
        for number in 1...5 {
            let error = await clientError { _ = try await authorization.send(request) }
            #expect(error?.code == (number <= 3 ? refusal : .sessionEnded))
            let count = await world.authorizations.count
            #expect(count == min(number, 3))
        }
        elapsed.advance(by: .seconds(3600))
        #expect(await clientError { _ = try await authorization.send(request) }?.code == refusal)
        for number in 5...9 {
            #expect(await clientError { _ = try await authorization.signIn() }?.code == refusal)
            let count = await world.authorizations.count
            #expect(count == number)
        }
    }

    @Test func `a server that demands another scope each time opens six browsers in an hour, over several sessions`()
        async throws
    {
        await world.change { rules in
            rules.neededScope = "never:granted"
            rules.grantedScope = "files:read"
        }
        let authorization = try fixture.authorization()
        _ = try await authorization.session()
        for number in 1...10 {
            if number == 4 { try await authorization.session().signOut() }
            await world.change { $0.scopeChallenge = "Bearer error=\"insufficient_scope\", scope=\"scope\(number)\"" }
            let error = await clientError {
                _ = try await authorization.send(HTTPRequest(method: "POST", target: MCPWorld.server))
            }
            #expect(error?.code == .insufficientScope)
        }
        // Two sign-ins and six step-ups.
        let count = await world.authorizations.count
        #expect(count == 8)
    }

    @Test(arguments: [true, false])
    func `sessions that worked do not count, also if the app sends its requests with them itself`(
        _ isByCall: Bool
    ) async throws {
        let authorization = try fixture.authorization()
        for number in 1...5 {
            await world.change { $0.rejectsRefresh = false }
            let session = try await authorization.session()
            if isByCall {
                #expect(try await session.send(HTTPRequest(target: MCPWorld.server)).status == 200)
            } else {
                try await session.refresh()
            }
            await world.change { $0.rejectsRefresh = true }
            #expect(await clientError { try await session.refresh() }?.code == .sessionEnded)
            let count = await world.authorizations.count
            #expect(count == number)
        }
    }

    @Test func `sessions that end at once count, also if the app sends its requests with them itself`() async throws {
        await world.change { rules in
            rules.rejectsAllTokens = true
            rules.rejectsRefresh = true
        }
        let authorization = try fixture.authorization()
        for _ in 0..<5 {
            let error = await clientError {
                _ = try await authorization.session().send(HTTPRequest(target: MCPWorld.server))
            }
            #expect(error?.code == .sessionEnded)
        }
        let count = await world.authorizations.count
        #expect(count == 3)
    }

    @Test func `a refresh that a refusal caused, and that did not help, does not make a session count as working`()
        async throws
    {
        await world.change { $0.rejectsAllTokens = true }
        let authorization = try fixture.authorization()
        for number in 1...5 {
            await world.change { $0.rejectsRefresh = false }
            let session: OAuthSession
            do throws(OAuthClientError) {
                session = try await authorization.session()
            } catch {
                #expect(error.code == .sessionEnded && number > 3)
                continue
            }
            #expect(try await session.send(HTTPRequest(target: MCPWorld.server)).status == 401)
            await world.change { $0.rejectsRefresh = true }
            #expect(await clientError { try await session.refresh() }?.code == .sessionEnded)
        }
        let grants = await world.tokenRequests.prefix(2).map { $0["grant_type"] }
        #expect(grants == ["authorization_code", "refresh_token"])
        let count = await world.authorizations.count
        #expect(count == 3)
    }

    @Test func `a user who signs in again after a sign-out, and then denies, is not asked without end`() async throws {
        let authorization = try fixture.authorization()
        try await authorization.session().signOut()
        await world.change { $0.callbackError = "access_denied" }
        for _ in 0..<5 { _ = await clientError { _ = try await authorization.session() } }
        let count = await world.authorizations.count
        #expect(count == 4)
    }
}
