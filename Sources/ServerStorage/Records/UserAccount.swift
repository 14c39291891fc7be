// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
public import StrictJSON

/// A user who can sign in.
public struct UserAccount: Sendable, Hashable {
    /// `sub`: never assigned to another user, even after the account is removed.
    public var subject: String
    /// The login name, compared byte by byte after lower-casing ASCII letters.
    public var username: String
    /// The hash of the password.
    public var passwordHash: PasswordHash
    /// When the account was made.
    public var createdAt: Timestamp
    /// What the operator or the login system says about the user, as claims for tokens; empty for most.
    public var claims: JSONObject

    /// Makes an account.
    ///
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - username: The login name.
    ///   - passwordHash: The hash of the password.
    ///   - createdAt: When the account was made.
    ///   - claims: What is known about the user, as claims.
    public init(
        subject: String,
        username: String,
        passwordHash: PasswordHash,
        createdAt: Timestamp,
        claims: JSONObject = JSONObject()
    ) {
        self.subject = subject
        self.username = username
        self.passwordHash = passwordHash
        self.createdAt = createdAt
        self.claims = claims
    }
}
