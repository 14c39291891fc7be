// SPDX-License-Identifier: Apache-2.0

/// What a client that asks for bound tokens puts up with instead.
///
/// Each option gives up protection, so each is named in full. When one is used, the session sends
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

    /// Nothing: where binding fails, the sign-in fails.
    public static let fail: Self = []
    /// Signs in without a key when the key store cannot make one of the kind that is wanted, or cannot store it, or has no
    /// hardware where that is demanded.
    ///
    /// A key that is there and cannot be opened, or is locked for now, never leads to this: those are errors. Tokens that are
    /// bound already are never used without their key.
    public static let unboundTokensWhenNoKeyCanBeMade = Self(rawValue: 1)
    /// Accepts Bearer tokens of a server that was sent a proof (RFC 9449 section 5), and sends none to a server whose metadata
    /// says that it takes proofs of no algorithm at all.
    public static let bearerTokensInsteadOfBoundOnes = Self(rawValue: 2)
}
