// SPDX-License-Identifier: Apache-2.0

/// What a client that requests bound tokens accepts instead.
///
/// Each option gives up protection, so its name says exactly what it allows. When one is used, the session reports
/// ``SessionEvent/bindingDowngraded``.
public struct TokenBindingFallback: OptionSet, Sendable, Hashable {
    /// One bit for each option.
    public let rawValue: Int

    /// Makes a set of options.
    ///
    /// - Parameter rawValue: One bit for each option.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// No fallback: if binding fails, the sign-in fails.
    public static let fail: Self = []
    /// Signs in without a key if the key store cannot make or store a key of the configured type, or requires hardware
    /// that is missing.
    ///
    /// A key that exists and cannot be opened, or is locked for now, never leads to this: those are errors. Tokens that
    /// are already bound are never used without their key.
    public static let unboundTokensWhenNoKeyCanBeMade = Self(rawValue: 1)
    /// Accepts Bearer tokens from a server that was sent a proof (RFC 9449 section 5), and sends no proof to a server
    /// whose metadata says that it supports no algorithm for proofs.
    public static let bearerTokensInsteadOfBoundOnes = Self(rawValue: 2)
    /// Accepts Bearer tokens from a server whose metadata do not announce DPoP, at a new sign-in.
    ///
    /// A server that announces it must give bound tokens. So must any server that has given this client bound tokens
    /// before, for any account, even if all have signed out since: an attacker who can change the metadata once must not
    /// turn the protection off. The sign-in then fails with ``OAuthClientError/Code/bindingWithdrawn``;
    /// ``OAuth2Client/forgetBoundTokens()`` lets a server off that has really given up DPoP. The store of tokens remembers.
    public static let bearerTokensWhereBindingIsNotOffered = Self(rawValue: 4)
}
