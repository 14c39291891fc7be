// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

/// An app that meets an MCP server.
struct MCPFixture {
    let world = MCPWorld()
    let store = MemoryMCPStateStore()
    let tokenStore = MemoryTokenStore()

    func authorization(
        _ server: String = MCPWorld.server,
        _ identity: MCPClientIdentity = MCPClientIdentity(name: "Agent"),
        hasUser: Bool = true
    ) throws -> MCPAuthorization {
        try authorization(using: hasUser ? MCPUser(world: world) : nil, server, identity)
    }

    func authorization(
        using userAgent: (any UserAgent)?,
        _ server: String = MCPWorld.server,
        _ identity: MCPClientIdentity = MCPClientIdentity(name: "Agent"),
        clock: FixedClock = FixedClock(),
        elapsed: any MonotonicClock = SystemMonotonicClock()
    ) throws -> MCPAuthorization {
        try MCPAuthorization(
            for: server,
            as: identity,
            using: userAgent,
            store: store,
            tokenStore: tokenStore,
            transport: world,
            clock: clock,
            monotonicClock: elapsed,
            entropy: SeededEntropy()
        )
    }

    /// The error of a sign-in; and nothing was shown to the user.
    func refusal(
        _ identity: MCPClientIdentity = MCPClientIdentity(name: "Agent"),
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: @Sendable (inout MCPWorld.Rules) -> Void
    ) async throws -> OAuthClientError? {
        await world.change(change)
        let authorization = try authorization(MCPWorld.server, identity)
        let error = await clientError { _ = try await authorization.session() }
        let shown = await world.authorizations.count
        #expect(shown == 0, sourceLocation: sourceLocation)
        #expect(error != nil, sourceLocation: sourceLocation)
        return error
    }

    static func document() throws -> ClientMetadataDocument {
        var metadata = ClientMetadata()
        metadata.clientName = "Agent"
        metadata.redirectURIs = ["http://127.0.0.1/callback"]
        return try ClientMetadataDocument(clientID: "https://agent.example/client.json", metadata: metadata)
    }
}
