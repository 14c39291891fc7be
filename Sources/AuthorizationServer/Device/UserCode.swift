// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// The code that a user enters to identify the waiting device (RFC 8628 section 6.1).
///
/// Eight consonants: 34 bits, easy to type on a phone, and no offensive words.
struct UserCode: Sendable {
    static let length = 8
    static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)

    /// In capitals, without a hyphen.
    private let text: String

    /// Generates a code with uniform distribution.
    init(entropy: any Entropy) {
        // Rejects bytes above the largest multiple, which would make some letters more likely.
        let limit = 256 - 256 % Self.alphabet.count
        var letters: [UInt8] = []
        while letters.count < Self.length {
            let usable = entropy.bytes(2 * Self.length).filter { Int($0) < limit }
            letters += usable.prefix(Self.length - letters.count).map { Self.alphabet[Int($0) % Self.alphabet.count] }
        }
        text = String(decoding: letters, as: UTF8.self)
    }

    /// Parses user input, ignoring case, hyphens and spaces; `nil` if it cannot be a code.
    init?(typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let letters = typed.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }.map { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 0x20 : byte
        }
        guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
        text = String(decoding: letters, as: UTF8.self)
    }

    /// The code as displayed: two halves with a hyphen between.
    var shown: String { "\(text.prefix(Self.length / 2))-\(text.suffix(Self.length / 2))" }

    /// The hash that is stored instead of the code; until it expires, the short code can still be found by brute force.
    var hash: SecretHash { SecretHash(of: "user_code \(text)") }
}
