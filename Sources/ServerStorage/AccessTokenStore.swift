// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Where opaque access tokens are kept.
public protocol AccessTokenStore: Sendable {
    /// Stores a token, maybe before the grant that it belongs to; it works once that is stored too.
    ///
    /// - Parameter accessToken: The token.
    /// - Throws: An error of the driver; also when a token of that hash is stored already.
    func add(_ accessToken: StoredAccessToken) async throws

    /// A token that can be used: not expired, its grant in force.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: The token; `nil` when it cannot be used, or is unknown.
    /// - Throws: An error of the driver.
    func liveAccessToken(_ tokenHash: SecretHash, at now: Timestamp) async throws -> StoredAccessToken?
}
