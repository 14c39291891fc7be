// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// The code that a person types to find the device that waits (RFC 8628 section 6.1).
///
/// Eight consonants: 34 bits, easy to type on a phone, and no words that somebody could mind.
struct UserCode: Sendable {
    static let length = 8
    static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)

    /// In capitals, without a hyphen.
    private let text: String

    /// A new code, each of all as likely.
    init(entropy: any Entropy) {
        // What is left of 256 would make some letters more likely.
        let limit = 256 - 256 % Self.alphabet.count
        var letters: [UInt8] = []
        while letters.count < Self.length {
            let usable = entropy.bytes(2 * Self.length).filter { Int($0) < limit }
            letters += usable.prefix(Self.length - letters.count).map { Self.alphabet[Int($0) % Self.alphabet.count] }
        }
        text = String(decoding: letters, as: UTF8.self)
    }

    /// What a person typed: case, hyphens and spaces do not count; `nil` when it cannot be a code.
    init?(typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let letters = typed.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }.map { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 0x20 : byte
        }
        guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
        text = String(decoding: letters, as: UTF8.self)
    }

    /// As it is shown: two halves with a hyphen between.
    var shown: String { "\(text.prefix(Self.length / 2))-\(text.suffix(Self.length / 2))" }

    /// What is stored: nobody reads a code off the disk, though it is short enough to be tried out until it expires.
    var hash: SecretHash { SecretHash(of: "user_code \(text)") }
}
