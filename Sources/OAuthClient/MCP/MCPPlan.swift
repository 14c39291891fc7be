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

    /// Whether the client authenticates, with a secret or a key.
    package var authenticates: Bool { authentication.method != .none }
}
