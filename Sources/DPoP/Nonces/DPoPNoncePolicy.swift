// SPDX-License-Identifier: Apache-2.0

/// When a server requires a nonce in proofs (RFC 9449 sections 8, 9 and 11.3).
public struct DPoPNoncePolicy: RawRepresentable, Sendable, Hashable {
    /// The stable name.
    public let rawValue: String

    /// Names a policy.
    ///
    /// - Parameter rawValue: `off`, `on-skew` or `required`; anything else is treated as `required`.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Nonces are neither required nor checked; only `iat` is checked.
    public static let off = Self(rawValue: "off")
    /// A server responds with a nonce if `iat` is outside the window, so that clients with a wrong clock recover.
    public static let onSkew = Self(rawValue: "on-skew")
    /// Every proof needs a nonce, so that proofs cannot be created in advance.
    public static let required = Self(rawValue: "required")
}
