// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// An authorization request that is ready for the browser.
///
/// It does not print, so that `state` stays out of logs. ``url`` is for the browser only.
public struct AuthorizationRequest: Sendable, RedactedSecret {
    /// The URL that the browser must open.
    public let url: String
    /// The redirect URI that receives the response.
    public let redirectURI: String
    /// The `state` of the response, by which a receiver recognises it.
    public let state: String
    /// When the sign-in expires.
    public let expiresAt: Timestamp
    /// How the response comes back; a receiver may not support every mode.
    public let responseMode: ResponseMode
}
