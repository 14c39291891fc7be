// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import OAuthSystem
import StrictJSON

/// The SHA-256 of a code, token, session cookie or request reference, stored in place of the value.
///
/// The values have at least 192 random bits, so a plain hash cannot be reversed; passwords are different. Codes and
/// tokens begin with the identifier of their grant (``GrantSecret``), cookies and references with a time
/// (`DatedHandle`). The first seven or five bytes of the digest are replaced by theirs, so that values of about the
/// same time are adjacent in a database, and with random keys each would cost a read and a write of a separate page as
/// soon as the table is larger than memory. The other 200 bits depend on the whole value and still make a collision
/// infeasible.
public struct SecretHash: Sendable, Hashable {
    /// The digest, 32 bytes; begins with the time and the shard of the value if it has them.
    public let bytes: [UInt8]

    /// Hashes a value.
    ///
    /// - Parameter secret: The value as issued.
    public init(of secret: String) {
        var digest = SHA256.hash(Array(secret.utf8)).bytes
        let kept = Self.keptBytes(of: secret)
        digest.replaceSubrange(..<kept.count, with: kept)
        bytes = digest
    }

    /// The bytes of a value that its hash keeps: milliseconds or seconds since 1970, and the shard.
    ///
    /// - Parameter secret: The value; untrusted input.
    /// - Returns: None for any other format.
    private static func keptBytes(of secret: String) -> ArraySlice<UInt8> {
        let text = secret.utf8
        if text.count == DatedHandle.length { return start(of: text[...], size: DatedHandle.keptSize) }
        let isOfGrant = GrantSecret.Kind.allCases.contains {
            text.count == $0.length && text.starts(with: $0.prefix.utf8)
        }
        return isOfGrant ? start(of: text.dropFirst(4), size: grantSize) : []
    }

    /// Milliseconds in six bytes, and the shard.
    private static let grantSize = 7

    /// The first bytes of base64url; twelve characters are nine bytes.
    private static func start(of text: Substring.UTF8View, size: Int) -> ArraySlice<UInt8> {
        let bytes = try? Base64URL.decode(String(decoding: text.prefix(12), as: UTF8.self))
        return bytes?.prefix(size) ?? []
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
