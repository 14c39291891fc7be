// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import StrictJSON
import Testing

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
        await gate.arrival()
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
        await gate.arrival()
        let second = Task { try await authorization.session() }
        for _ in 0..<1000 { await Task.yield() }
        first.cancel()
        #expect(await clientError { _ = try await first.value }?.code == .cancelled)
        await gate.open()
        let session = try await second.value
        #expect(try await authorization.session() === session)
        let (count, registrations) = await (world.authorizations.count, world.registrations.count)
        #expect(count == 1 && registrations == 1)
    }
}
