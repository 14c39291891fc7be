// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem
import StrictJSON

/// A session cookie, or the reference of a stored request.
///
/// The format is base64url of seconds since 1970 (4 bytes), a shard (1 byte) and 31 random bytes: 48 characters.
/// ``SecretHash`` keeps the first five bytes, so that values of about the same time are adjacent in a database.
package enum DatedHandle {
    /// The number of characters.
    package static let length = 48
    /// The bytes that a hash keeps.
    static let keptSize = 5

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - shard: Where what it names is stored; random until a user signs in.
    ///   - now: The time.
    ///   - entropy: The source of random bytes.
    /// - Returns: 48 characters.
    package static func make(in shard: UInt8? = nil, at now: Timestamp, _ entropy: any Entropy) -> String {
        let time = UInt32(clamping: now.secondsSince1970).bigEndianBytes
        return Base64URL.encode(time + (shard.map { [$0] } ?? entropy.bytes(1)) + entropy.bytes(31))
    }
}
