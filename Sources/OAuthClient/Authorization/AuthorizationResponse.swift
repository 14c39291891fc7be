// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
public import OAuthSystem

/// The answer to an authorization request, checked: only
/// ``OAuth2Client/parseAuthorizationResponse(_:)-(AuthorizationCallback)`` and the functions beside it make one.
public struct AuthorizationResponse: Sendable, RedactedSecret {
    /// The code, to be exchanged once.
    public let code: AuthorizationCode
    /// The sign-in that the code belongs to.
    public let transaction: Transaction
}
