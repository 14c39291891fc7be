// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import OAuthSystem

/// What is stored of a code, token, session or request handle: its SHA-256, never the value.
///
/// The values are 256 random bits, so a plain hash cannot be reversed; passwords are another matter. Codes and tokens begin with
/// the time when they were made (four bytes, seconds since 1970). It takes the place of the digest's first four bytes, so that
/// what is made at one time is stored in one place; the other 224 bits, of the whole value, are as hard to meet as before.
public struct SecretHash: Sendable, Hashable {
    /// The digest, 32 bytes, with the time in front if the value has one.
    public let bytes: [UInt8]

    /// Hashes a value.
    ///
    /// - Parameter secret: The value as it was given out.
    public init(of secret: String) {
        var digest = SHA256.hash(Array(secret.utf8)).bytes
        if let time = DatedSecret.time(of: secret) { digest.replaceSubrange(..<DatedSecret.timeSize, with: time) }
        bytes = digest
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
