// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A secret for creating nonces, and its number.
public struct DPoPNonceSecret: Sendable, Hashable, RedactedSecret {
    /// The number of the secret.
    ///
    /// It is part of each nonce, so that the previous secret stays usable.
    public let number: UInt8
    /// The secret, 32 bytes.
    public let bytes: [UInt8]

    /// Creates a secret from stored bytes.
    ///
    /// - Parameters:
    ///   - number: The number of the secret.
    ///   - bytes: The secret, 32 random bytes.
    public init(number: UInt8, bytes: [UInt8]) {
        self.number = number
        self.bytes = bytes
    }

    /// Whether the secret has its full length of 32 bytes.
    package var isStrong: Bool { bytes.count == 32 }

    /// Generates a secret.
    ///
    /// - Parameters:
    ///   - number: The number of the secret.
    ///   - entropy: The source of its 32 random bytes.
    public init(number: UInt8 = 0, entropy: any Entropy) {
        self.init(number: number, bytes: entropy.bytes(32))
    }

    /// A copy of the secret, with the number that follows that of another secret.
    ///
    /// - Parameter other: The current secret.
    /// - Returns: The secret that can replace it.
    package func following(_ other: DPoPNonceSecret) -> DPoPNonceSecret {
        DPoPNonceSecret(number: other.number &+ 1, bytes: bytes)
    }

    /// Compares two secrets in constant time.
    ///
    /// - Parameters:
    ///   - left: One secret.
    ///   - right: The other one.
    /// - Returns: Whether both have equal bytes.
    public static func == (left: DPoPNonceSecret, right: DPoPNonceSecret) -> Bool {
        left.number == right.number && ConstantTime.areEqual(left.bytes, right.bytes)
    }
}
