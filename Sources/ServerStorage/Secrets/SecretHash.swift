// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import OAuthSystem

/// The SHA-256 of a code, token, session cookie or request reference, stored in place of the value.
///
/// The values have 256 random bits, so a plain hash cannot be reversed; passwords are different. Codes and tokens begin
/// with a timestamp (four bytes, seconds since 1970). It replaces the first four bytes of the digest, so that values of
/// about the same time are adjacent in the database. The other 224 bits depend on the whole value and still make a
/// collision infeasible.
public struct SecretHash: Sendable, Hashable {
    /// The digest, 32 bytes; begins with the timestamp if the value has one.
    public let bytes: [UInt8]

    /// Hashes a value.
    ///
    /// - Parameter secret: The value as issued.
    public init(of secret: String) {
        var digest = SHA256.hash(Array(secret.utf8)).bytes
        if let time = TimeOrderedToken.time(of: secret) {
            digest.replaceSubrange(..<TimeOrderedToken.timeSize, with: time)
        }
        bytes = digest
    }

    /// Wraps a stored hash.
    ///
    /// - Parameter bytes: The digest, 32 bytes.
    public init(stored bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Compares in constant time.
    ///
    /// - Parameters:
    ///   - left: One hash.
    ///   - right: The other one.
    /// - Returns: Whether both are equal, byte by byte.
    public static func == (left: SecretHash, right: SecretHash) -> Bool {
        ConstantTime.areEqual(left.bytes, right.bytes)
    }
}
