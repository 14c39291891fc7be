// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A store for opaque access tokens.
///
/// They are stored with the change that issues them; see ``Recording/accessToken``.
public protocol AccessTokenStore: Sendable {
    /// A usable token: not expired, and its grant is in force.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - now: The time.
    /// - Returns: The token; `nil` if it cannot be used, or is unknown.
    /// - Throws: An error of the driver.
    func liveAccessToken(_ token: GrantSecret, at now: Timestamp) async throws -> StoredAccessToken?
}
