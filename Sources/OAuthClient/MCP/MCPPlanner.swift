// SPDX-License-Identifier: Apache-2.0

package import HTTPMessage
package import OAuthCore
package import OAuthSystem
import StrictJSON

/// Decides how to sign in for an MCP server: at which authorization server, as which client, for which scopes and with
/// which kind of token (Model Context Protocol 2026-07-28, Authorization).
package struct MCPPlanner: Sendable {
    package let server: MCPServerURL
    let identity: MCPClientIdentity
    let registrations: MCPRegistrations
    let transport: any HTTPTransport
    let policy: URLPolicy
    let clock: any WallClock
    /// The limits for the MCP server, whichever authorization server it names.
    let stepUps = StepUpLimits()

    package init(
        server: MCPServerURL,
        identity: MCPClientIdentity,
        store: any MCPStateStore,
        transport: any HTTPTransport,
        policy: URLPolicy,
        clock: any WallClock
    ) {
        self.server = server
        self.identity = identity
        registrations = MCPRegistrations(
            identity: identity,
            stored: MCPStoredRegistrations(for: identity.redirectURI, in: store, clock: clock),
            transport: transport,
            policy: policy
        )
        self.transport = transport
        self.policy = policy
        self.clock = clock
    }

    /// Makes a plan.
    ///
    /// - Parameters:
    ///   - challenges: The challenges of a refused request; `nil` to make a request without a token first.
    ///   - earlier: What was used so far.
    ///   - scopes: The scopes to ask for instead of those that the server names; `nil` for those.
    ///   - refused: The client that the authorization server does not know any more: if it registered itself, the app
    ///     registers again.
    /// - Returns: The plan. If the app registered itself for it, the registration is stored.
    /// - Throws: ``OAuthClientError``, with the codes of ``MCPAuthorization/session()``.
    package func plan(
        _ challenges: [Challenge]?,
        after earlier: MCPServerRecord?,
        scopes: [String]? = nil,
        insteadOf refused: MCPServerRecord? = nil
    ) async throws(OAuthClientError) -> MCPPlan {
        let discovery = MCPResourceDiscovery(server: server, transport: transport, policy: policy)
        let asked: [Challenge]
        if let challenges { asked = challenges } else { asked = try await discovery.probe() }
        let resource = try await discovery.metadata(asked)
        let (issuer, context, metadata) = try await authorizationServer(of: resource, after: earlier)
        try Self.require(metadata)
        let isBound = try Self.isBound(resource, asked, metadata)
        let client = try await registrations.client(
            at: issuer,
            metadata,
            after: earlier,
            insteadOf: refused,
            isBound: isBound
        )
        return MCPPlan(
            record: MCPServerRecord(
                issuer: issuer,
                clientID: client.clientID,
                client: client.kind,
                redirectURI: client.redirectURI,
                resource: resource.resource,
                scopes: scopes ?? Self.scopes(asked, resource, metadata),
                supportedScopes: resource.scopesSupported ?? [],
                isBound: isBound,
                authenticationMethod: client.kind == .registeredItself ? client.authentication.method : nil
            ),
            authentication: client.authentication,
            document: client.kind == .document ? identity.document : nil,
            context: context,
            proofAlgorithms: resource.dpopSigningAlgValuesSupported,
            registration: client.entry,
            isNewClient: client.isNew
        )
    }

    /// Deletes the secret of a client whose tokens are gone, if another registration has replaced its own, and no session for
    /// another MCP server needs it.
    ///
    /// - Returns: Whether nothing is left of it; of the registration in use only the session is forgotten.
    @discardableResult
    func release(_ record: MCPServerRecord) async -> Bool {
        guard record.client == .registeredItself else { return true }
        do {
            try await registrations.stored.release(record.clientID, at: record.issuer, by: server.text)
            return true
        } catch {
            return false
        }
    }

    /// The one in use if it is still listed, else one that knows the app, else the first whose metadata can be read.
    private func authorizationServer(
        of resource: ProtectedResourceMetadata,
        after earlier: MCPServerRecord?
    ) async throws(OAuthClientError) -> (String, ServerContext, AuthorizationServerMetadata) {
        let listed = resource.authorizationServers ?? []
        if let issuer = earlier?.issuer, listed.contains(where: { $0.isIdentical(to: issuer) }) {
            return try await read(issuer)
        }
        for issuer in listed where try await registrations.isKnown(at: issuer) { return try await read(issuer) }
        var failure: OAuthClientError?
        for issuer in listed.prefix(8) {
            do throws(OAuthClientError) {
                return try await read(issuer)
            } catch {
                guard error.code != .cancelled else { throw error }
                failure = failure ?? error
            }
        }
        throw failure ?? OAuthClientError(.unsupportedByServer, "the MCP server names no authorization server")
    }

    private func read(
        _ issuer: String
    ) async throws(OAuthClientError) -> (String, ServerContext, AuthorizationServerMetadata) {
        let uri = try policy.issuer(issuer)
        guard !uri.isLoopbackIPLiteral || server.uri.isLoopbackIPLiteral else {
            throw OAuthClientError(.insecureURL, "the MCP server names an authorization server on this machine")
        }
        let context = ServerContext(issuer: issuer, stepUps: stepUps)
        let discovery = MetadataDiscovery(issuer: issuer, uri: uri, transport: transport)
        return (issuer, context, try await context.metadata.metadata(at: clock.now(), by: discovery))
    }

    /// Section Authorization Code Protection: silence is not taken for PKCE.
    private static func require(_ metadata: AuthorizationServerMetadata) throws(OAuthClientError) {
        guard metadata.codeChallengeMethodsSupported?.contains("S256") == true else {
            throw OAuthClientError(.unsupportedByServer, "the authorization server does not announce PKCE with S256")
        }
        guard metadata.authorizationEndpoint != nil else {
            throw OAuthClientError(.unsupportedByServer, "the authorization server has no authorization endpoint")
        }
    }

    /// Bound tokens where the MCP server can check them: one that takes Bearer tokens only cannot use others.
    private static func isBound(
        _ resource: ProtectedResourceMetadata,
        _ challenges: [Challenge],
        _ metadata: AuthorizationServerMetadata
    ) throws(OAuthClientError) -> Bool {
        let takesOnlyBound =
            resource.dpopBoundAccessTokensRequired
            || (challenges.contains { $0.hasScheme("DPoP") } && !challenges.contains { $0.hasScheme("Bearer") })
        let takesBound =
            takesOnlyBound || resource.dpopSigningAlgValuesSupported?.isEmpty == false
            || challenges.contains { $0.hasScheme("DPoP") }
        let isOffered = metadata.dpopSigningAlgValuesSupported?.isEmpty == false
        guard isOffered || !takesOnlyBound else {
            throw OAuthClientError(
                .unsupportedByServer,
                "the MCP server demands tokens that are bound to a key (DPoP), and its authorization server has none"
            )
        }
        return takesBound && isOffered
    }

    /// Section Scope Selection Strategy: those of the challenge, else all of the server, else none.
    private static func scopes(
        _ challenges: [Challenge],
        _ resource: ProtectedResourceMetadata,
        _ metadata: AuthorizationServerMetadata
    ) -> [String] {
        let named = challenges.lazy.filter { $0.hasScheme("Bearer") || $0.hasScheme("DPoP") }
            .compactMap { $0.value(for: "scope") }.first
        var scopes = named.map { ChallengeText.words($0) } ?? []
        // `offline_access` is a matter of the authorization server alone.
        if scopes.isEmpty { scopes = (resource.scopesSupported ?? []).filter { $0 != "offline_access" } }
        let offersRefresh = metadata.scopesSupported?.contains("offline_access") == true
        if offersRefresh, !scopes.isEmpty, !scopes.contains("offline_access") { scopes.append("offline_access") }
        return scopes
    }
}
