// SPDX-License-Identifier: Apache-2.0

/// What is stored about a presented token.
public struct TokenRead: Sendable, Hashable {
    /// The opaque access token, while it can be used.
    public var accessToken: StoredAccessToken?
    /// The refresh token; see ``GrantStore/refreshToken(_:)``.
    public var refreshToken: StoredRefreshToken?
    /// Whether the refresh token can be used; see ``GrantStore/liveRefreshToken(_:at:)``.
    public var isLive: Bool
    /// The grant of the token; `nil` if it is not in force.
    public var grant: Grant?

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - accessToken: The opaque access token.
    ///   - refreshToken: The refresh token.
    ///   - isLive: Whether the refresh token can be used.
    ///   - grant: The grant of the token.
    public init(
        accessToken: StoredAccessToken? = nil,
        refreshToken: StoredRefreshToken? = nil,
        isLive: Bool = false,
        grant: Grant? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.isLive = isLive
        self.grant = grant
    }
}
