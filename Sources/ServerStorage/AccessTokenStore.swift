// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A store for opaque access tokens.
public protocol AccessTokenStore: Sendable {
    /// Stores a token, possibly before its grant; the token is valid once the grant is stored too.
    ///
    /// - Parameter accessToken: The token.
    /// - Throws: An error of the driver; also if a token with that hash is already stored.
    func add(_ accessToken: StoredAccessToken) async throws

    /// A usable token: not expired, and its grant is in force.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: The token; `nil` if it cannot be used, or is unknown.
    /// - Throws: An error of the driver.
    func liveAccessToken(_ tokenHash: SecretHash, at now: Timestamp) async throws -> StoredAccessToken?
}
