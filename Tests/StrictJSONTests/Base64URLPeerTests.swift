// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7515 section 2: generated texts, compared with OpenSSL and Python")
struct Base64URLPeerTests {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Texts of the alphabet, some with one character that is not of it.
    private static func texts(_ count: Int, seed: UInt64, strangers: [UInt8]) -> [[UInt8]] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            var text = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            if Int.random(in: 0..<4, using: &generator) == 0, let stranger = strangers.randomElement(using: &generator)
            {
                text.insert(stranger, at: Int.random(in: 0...text.count, using: &generator))
            }
            return text
        }
    }

    @Test func `Python takes the same texts and no others, but for bits that are left over`() async throws {
        let texts = Self.texts(2000, seed: 4648, strangers: Array("=+/ \n\0.\u{E9}".utf8))
        let answers = try await PythonProgram.answers(
            to: texts,
            #"""
            import binascii, re

            def answer(text):
                if not re.fullmatch(b"[A-Za-z0-9_-]*", text): return "alphabet"
                if len(text) % 4 == 1: return "length"
                padded = text.translate(bytes.maketrans(b"-_", b"+/")) + b"=" * (-len(text) % 4)
                decoded = binascii.a2b_base64(padded, strict_mode=True)
                return decoded.hex() if binascii.b2a_base64(decoded, newline=False) == padded else "tail"
            """#
        )
        var reasons: [String: Int] = [:]
        for (text, answer) in zip(texts, answers) {
            let isRejected = ["alphabet", "length", "tail"].contains(answer)
            let decoded = try? Base64URL.decode(text[...])
            if decoded.map({ PythonProgram.hex($0) }) != (isRejected ? nil : answer) {
                Issue.record("not what Python says, \(answer): \(String(decoding: text, as: UTF8.self))")
            }
            reasons[isRejected ? answer : "read", default: 0] += 1
        }
        #expect(reasons.count == 4 && reasons.values.allSatisfy { $0 > 100 })
    }

    /// OpenSSL needs padding and does not look at bits that are left over.
    @Test func `OpenSSL decodes every text that is taken to the same bytes`() throws {
        var taken = 0
        for text in Self.texts(2000, seed: 4649, strangers: []) {
            guard let decoded = try? Base64URL.decode(text[...]) else { continue }
            taken += 1
            let padding = (4 - text.count % 4) % 4
            let plain = text.map {
                $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0
            }
            let padded = plain + [UInt8](repeating: UInt8(ascii: "="), count: padding)
            var output = [UInt8](repeating: 0, count: padded.count / 4 * 3 + 1)
            let count = unsafe EVP_DecodeBlock(&output, padded, Int32(padded.count))
            #expect(Array(output.prefix(Int(count) - padding)) == decoded)
        }
        #expect(taken > 500)
    }
}
#endif
