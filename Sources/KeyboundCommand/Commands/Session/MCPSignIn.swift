// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import OAuthSystem
import OAuthTransport

/// `keybound login --mcp`: from the URL of an MCP server to the client that signs in for it.
struct MCPSignIn: Sendable {
    let server: String
    /// The client identifier that the user gave: one that is registered there.
    let clientID: String?

    /// Finds out where to sign in, and registers if need be.
    func target(
        scopes: [String],
        _ arguments: ParsedArguments,
        _ console: Console
    ) async throws -> SignInTarget {
        let policy = URLPolicy(allowsInsecureHTTPOnLoopback: arguments.has(.insecureLoopback))
        let url = try MCPServerURL(server, policy)
        var identity = MCPClientIdentity(
            name: "keybound",
            redirectURI: arguments.value(BrowserSignIn.redirectURI) ?? SignInTarget.usualRedirect
        )
        identity.registeredAnywhere = clientID.map { MCPClientIdentity.Registered(clientID: $0) }
        let planner = MCPPlanner(
            server: url,
            identity: identity,
            store: try CommandRegistration.store(),
            transport: PlatformTransport(),
            policy: policy,
            clock: SystemWallClock()
        )
        let plan = try await planner.plan(nil, after: nil, scopes: scopes.isEmpty ? nil : scopes)
        console.note("the MCP server names \(SafeText.of(plan.record.issuer)) as its authorization server")
        let isRegisteredItself = plan.record.client == .registeredItself
        return SignInTarget(
            issuer: plan.record.issuer,
            clientID: plan.record.clientID,
            resource: plan.record.resource,
            scopes: plan.record.scopes,
            redirectURI: plan.record.redirectURI,
            isBound: plan.record.isBound,
            mcpServer: url.text,
            registeredRedirectURI: isRegisteredItself ? identity.redirectURI : nil,
            isRegisteredWithoutSecret: isRegisteredItself && !plan.authenticates,
            isNewClient: plan.isNewClient
        )
    }
}
#endif
