// SPDX-License-Identifier: Apache-2.0

/// What a presented token says about where it is stored; unverified.
public enum TokenReference: Sendable, Hashable {
    /// An opaque access token.
    case accessToken(GrantSecret)
    /// A refresh token.
    case refreshToken(GrantSecret)
    /// A signed access token: the identifier of the grant that it names.
    case grant(String)
    /// Anything else.
    case none
}
