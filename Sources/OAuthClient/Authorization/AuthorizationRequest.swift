// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// An authorization request that is ready for the browser.
///
/// It does not print, so that `state` stays out of logs; ``url`` is for the browser only.
public struct AuthorizationRequest: Sendable, RedactedSecret {
    /// What the browser is to open.
    public let url: String
    /// The redirect URI that the answer arrives at.
    public let redirectURI: String
    /// `state` of the answer: for receivers that must tell it from other requests.
    public let state: String
    /// When the sign-in is given up.
    public let expiresAt: Timestamp
    /// How the answer comes back: for receivers that cannot take it in every way.
    public let responseMode: ResponseMode
}
