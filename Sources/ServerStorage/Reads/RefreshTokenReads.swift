// SPDX-License-Identifier: Apache-2.0

/// What the use of a refresh token is checked against, all of one moment (RFC 6749 section 6).
public struct RefreshTokenReads: Sendable, Hashable {
    /// The client; `nil` if it is not registered.
    public var client: RegisteredClient?
    /// The refresh token; see ``GrantStore/refreshToken(_:)``.
    public var refreshToken: StoredRefreshToken?
    /// The grant of the token; `nil` if it is not in force.
    public var grant: Grant?

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - refreshToken: The refresh token.
    ///   - grant: The grant of the token.
    public init(client: RegisteredClient?, refreshToken: StoredRefreshToken? = nil, grant: Grant? = nil) {
        self.client = client
        self.refreshToken = refreshToken
        self.grant = grant
    }
}
