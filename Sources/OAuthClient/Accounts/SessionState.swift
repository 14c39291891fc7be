// SPDX-License-Identifier: Apache-2.0

/// What an app shows of the account in use.
public enum SessionState: Sendable, Hashable {
    /// The stores have not been read yet.
    case unknown
    /// No account is in use.
    case signedOut
    /// The account has a session.
    case signedIn(AccountSummary)
    /// The account is known, and its user must sign in again.
    case needsSignIn(AccountSummary, NeedsSignIn)
}
