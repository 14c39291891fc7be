// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// Supplies the access token of a call: the one of the session, or one for some resources only.
struct AccessTokenSource: Sendable {
    let manager: TokenManager
    /// The resources that the access token is for; `nil` for the access token of the session.
    var resources: [String]?

    func fetch() async throws(OAuthClientError) -> TokenSet {
        guard let resources else { return try await manager.fetch() }
        return try await manager.fetch(resources: resources)
    }

    func refresh(replacing failed: AccessToken) async throws(OAuthClientError) -> TokenSet {
        guard let resources else { return try await manager.refresh(replacing: failed) }
        return try await manager.fetch(resources: resources, replacing: failed)
    }
}
