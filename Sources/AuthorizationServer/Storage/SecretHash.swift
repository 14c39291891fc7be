// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

/// What is stored of a code, token, session or request handle: its SHA-256, never the value.
///
/// The values are 256 random bits, so a plain hash cannot be reversed; passwords are another matter.
public struct SecretHash: Sendable, Hashable {
    /// The digest, 32 bytes.
    public let bytes: [UInt8]

    /// Hashes a value.
    ///
    /// - Parameter secret: The value as it was given out.
    public init(of secret: String) {
        bytes = SHA256.hash(Array(secret.utf8)).bytes
    }

    /// Takes a hash that was stored.
    ///
    /// - Parameter bytes: The digest, 32 bytes.
    public init(stored bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Compares in a time that does not tell where two values differ.
    ///
    /// - Parameters:
    ///   - left: One hash.
    ///   - right: The other one.
    /// - Returns: Whether both are the same, byte by byte.
    public static func == (left: SecretHash, right: SecretHash) -> Bool {
        ConstantTime.areEqual(left.bytes, right.bytes)
    }
}
