// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A secret that nonces are made with, and its number.
public struct DPoPNonceSecret: Sendable, Hashable, RedactedSecret {
    /// Which secret this is: part of each nonce, so that the one before stays usable.
    public let number: UInt8
    /// The secret itself, 32 bytes.
    public let bytes: [UInt8]

    /// Takes a secret that was stored.
    ///
    /// - Parameters:
    ///   - number: Which secret this is.
    ///   - bytes: The secret, 32 random bytes.
    public init(number: UInt8, bytes: [UInt8]) {
        self.number = number
        self.bytes = bytes
    }

    /// Whether the secret has the length that cannot be guessed.
    package var isStrong: Bool { bytes.count == 32 }

    /// Makes a new secret.
    ///
    /// - Parameters:
    ///   - number: Which secret this is.
    ///   - entropy: Where its 32 bytes come from.
    public init(number: UInt8 = 0, entropy: any Entropy) {
        self.init(number: number, bytes: entropy.bytes(32))
    }

    /// The same secret, with the number that comes after another's.
    ///
    /// - Parameter other: The secret in use.
    /// - Returns: The secret that can take its place.
    package func following(_ other: DPoPNonceSecret) -> DPoPNonceSecret {
        DPoPNonceSecret(number: other.number &+ 1, bytes: bytes)
    }

    /// Compares in a time that does not tell where two values differ.
    ///
    /// - Parameters:
    ///   - left: One secret.
    ///   - right: The other one.
    /// - Returns: Whether both are the same, byte by byte.
    public static func == (left: DPoPNonceSecret, right: DPoPNonceSecret) -> Bool {
        left.number == right.number && ConstantTime.areEqual(left.bytes, right.bytes)
    }
}
