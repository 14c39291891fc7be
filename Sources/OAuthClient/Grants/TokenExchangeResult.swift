// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
public import OAuthSystem

/// What a token exchange brought (RFC 8693 section 2.2.1).
public struct TokenExchangeResult: Sendable, Hashable {
    /// The token that was issued, and what it is.
    public let issued: SecurityToken
    /// When it expires; `nil` when the server did not say.
    public let expiresAt: Timestamp?
    /// The same as an access token, for ``OAuth2Client/startSession(with:)``; `nil` when it is for no API.
    public let tokens: TokenSet?
}
