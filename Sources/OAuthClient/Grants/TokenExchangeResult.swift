// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
public import OAuthSystem

/// The result of a token exchange (RFC 8693 section 2.2.1).
public struct TokenExchangeResult: Sendable, Hashable {
    /// The issued token and its type.
    public let issued: SecurityToken
    /// When it expires; `nil` when the server did not say.
    public let expiresAt: Timestamp?
    /// The issued token as an access token, for ``OAuth2Client/startSession(with:)``; `nil` if it is of another type.
    public let tokens: TokenSet?
}
