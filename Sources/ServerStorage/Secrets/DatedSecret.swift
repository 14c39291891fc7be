// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem
import StrictJSON

/// A code or token that is stored: 256 random bits, and before them the time when it was made.
///
/// Its hash keeps the time (see ``SecretHash``), so those that are made one after another lie side by side in a database. There
/// a random key costs a read and a write of a page of its own as soon as the table is larger than memory.
///
/// The form is a prefix of four characters that secret scanners can find, `kb`, a letter and `_`, and in base64url four bytes of
/// seconds since 1970 and 32 random bytes: 52 characters.
package enum DatedSecret {
    /// How many bytes the time has.
    static let timeSize = 4

    private static let prefixSize = 4
    private static let size = 52

    /// Makes a secret.
    ///
    /// - Parameters:
    ///   - prefix: What it begins with.
    ///   - now: The time.
    ///   - entropy: Gives the random bytes.
    /// - Returns: 52 characters.
    package static func make(_ prefix: String, at now: Timestamp, _ entropy: any Entropy) -> String {
        prefix + Base64URL.encode(UInt32(clamping: now.secondsSince1970).bigEndianOctets + entropy.bytes(32))
    }

    /// The time that a secret begins with, as it stands there; `nil` for one of another form.
    ///
    /// - Parameter secret: The secret, which anybody may have made up.
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
