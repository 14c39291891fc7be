// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem
import StrictJSON

/// A code or token that is stored: a timestamp, then 256 random bits.
///
/// Its hash keeps the timestamp (see ``SecretHash``), so consecutive secrets are adjacent in a database. With random
/// keys, each would cost a read and a write of a separate page as soon as the table is larger than memory.
///
/// The format is a prefix of four characters that secret scanners can find (`kb`, a letter and `_`), then in base64url
/// four bytes of seconds since 1970 and 32 random bytes: 52 characters.
package enum TimeOrderedToken {
    /// The size of the timestamp in bytes.
    static let timeSize = 4

    private static let prefixSize = 4
    private static let size = 52

    /// Makes a secret.
    ///
    /// - Parameters:
    ///   - prefix: The four characters at the start.
    ///   - now: The time.
    ///   - entropy: The source of random bytes.
    /// - Returns: 52 characters.
    package static func make(_ prefix: String, at now: Timestamp, _ entropy: any Entropy) -> String {
        prefix + Base64URL.encode(UInt32(clamping: now.secondsSince1970).bigEndianBytes + entropy.bytes(32))
    }

    /// The timestamp of a secret, as encoded; `nil` for any other format.
    ///
    /// - Parameter secret: The secret; untrusted input.
    /// - Returns: Four bytes.
    static func time(of secret: String) -> [UInt8]? {
        let text = secret.utf8
        guard text.count == size, text.starts(with: "kb".utf8) else { return nil }
        guard text.dropFirst(prefixSize - 1).first == UInt8(ascii: "_") else { return nil }
        // Eight characters are six bytes.
        let start = String(decoding: text.dropFirst(prefixSize).prefix(8), as: UTF8.self)
        return (try? Base64URL.decode(start)).map { Array($0.prefix(timeSize)) }
    }
}
