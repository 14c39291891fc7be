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
    /// How many grants ``grant`` derives from, in a chain of token exchanges (RFC 8693); 0 for refresh tokens.
    ///
    /// Every use of the token reads all of them, so the server limits their number.
    public var parentCount: Int

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - accessToken: The opaque access token.
    ///   - refreshToken: The refresh token.
    ///   - isLive: Whether the refresh token can be used.
    ///   - grant: The grant of the token.
    ///   - parentCount: How many grants that one derives from.
    public init(
        accessToken: StoredAccessToken? = nil,
        refreshToken: StoredRefreshToken? = nil,
        isLive: Bool = false,
        grant: Grant? = nil,
        parentCount: Int = 0
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.isLive = isLive
        self.grant = grant
        self.parentCount = parentCount
    }
}
