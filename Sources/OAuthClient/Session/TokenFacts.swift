// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
public import OAuthSystem

/// What is known of the access token of a session, without the token.
public struct TokenFacts: Sendable, Hashable {
    /// When the access token expires; `nil` when the server did not say.
    public let expiresAt: Timestamp?
    /// The granted scope.
    public let scope: Scope
    /// How the access token is used.
    public let tokenType: TokenType

    init(_ tokens: TokenSet) {
        (expiresAt, scope, tokenType) = (tokens.expiresAt, tokens.scope, tokens.tokenType)
    }
}
