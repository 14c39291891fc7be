// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// How to sign in for an MCP server.
package struct MCPPlan: Sendable {
    package let record: MCPServerRecord
    package let authentication: ClientAuthentication
    /// The metadata document to use; `nil` if the client is another one.
    package let document: ClientMetadataDocument?
    /// What the authorization server says about itself, as fetched for the plan.
    package let context: ServerContext
    /// The algorithms of proofs that the MCP server accepts; `nil` if it does not say, and for a session that is restored, whose
    /// key is there.
    var proofAlgorithms: [String]?
    /// The registration of a client that registered itself; `nil` for others, and for a session that is restored.
    var registration: MCPStoredRegistrations.Entry?
    /// Whether the app registered itself for this plan, so that the authorization server knows it for certain.
    package var isNewClient = false

    /// Whether the client authenticates, with a secret or a key.
    package var authenticates: Bool { authentication.method != .none }
}

extension MCPPlan {
    /// The settings of the client: one account for each server, and the kind of tokens that the server takes.
    ///
    /// - Throws: ``OAuthClientError/Code/proofAlgorithmRejected`` if the server accepts no type of key that the app uses.
    package func configuration(
        _ base: OAuth2ClientConfiguration,
        for server: MCPServerURL
    ) throws(OAuthClientError) -> OAuth2ClientConfiguration {
        var configuration = base
        configuration.account = "\(base.account) \(server.text)"
        // The token is for this server, and goes nowhere else.
        configuration.allowedOrigins = [server.origin]
        configuration.clientAuthentication = authentication
        configuration.clientMetadataDocument = document
        if record.isBound {
            let binding = base.tokenBoundConfiguration.binding ?? BoundedTokenConfiguration()
            configuration.tokenBoundConfiguration = try binding.accepted(proofAlgorithms)
        } else {
            configuration.tokenBoundConfiguration = UnboundedTokenConfiguration()
        }
        return configuration
    }
}
