// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// Where the access token of a call comes from: the session's own, or one for some resources only.
struct AccessTokenSource: Sendable {
    let manager: TokenManager
    /// What the access token is for; `nil` for the one of the session.
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
