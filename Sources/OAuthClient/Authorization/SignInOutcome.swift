// SPDX-License-Identifier: Apache-2.0

/// How a sign-in ended, for the last page that the user sees.
///
/// It has no reason: the app shows that.
public enum SignInOutcome: Sendable, Hashable {
    /// The response was checked, and the tokens are stored.
    case signedIn
    /// The server refused, a check failed, or the tokens could not be fetched or stored.
    case notSignedIn
}
