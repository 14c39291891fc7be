// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
public import OAuthSystem

/// A checked authorization response.
///
/// Only ``OAuth2Client/parseAuthorizationResponse(_:)-(AuthorizationCallback)`` and its overloads make one.
public struct AuthorizationResponse: Sendable, RedactedSecret {
    /// The authorization code, for one exchange.
    public let code: AuthorizationCode
    /// The sign-in that the code belongs to.
    public let transaction: SignInTransaction
    /// Tells the user agent how the exchange ended; `nil` where no user agent waits for that.
    let callback: AuthorizationCallback?
}
