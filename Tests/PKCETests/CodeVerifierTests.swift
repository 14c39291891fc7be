// SPDX-License-Identifier: Apache-2.0

import JOSE
import PKCE
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7636 section 4.1: code verifier")
struct CodeVerifierTests {
    @Test func `a new verifier is 43 characters made of 32 random bytes`() throws {
        let verifier = CodeVerifier(entropy: SeededEntropy(seed: 7))
        #expect(verifier.text.utf8.count == 43)
        #expect(try Base64URL.decode(verifier.text) == SeededEntropy(seed: 7).bytes(32))
        #expect(try CodeVerifier(verifier.text) == verifier)
    }

    @Test func `no two verifiers are alike`() {
        let entropy = SeededEntropy()
        #expect(Set((0..<1000).map { _ in CodeVerifier(entropy: entropy) }).count == 1000)
        #expect(CodeVerifier() != CodeVerifier())
    }

    @Test(arguments: [43, 44, 127, 128])
    func `accepts a verifier of this many characters`(count: Int) throws {
        let text = String(repeating: "a", count: count)
        #expect(try CodeVerifier(text).text == text)
    }

    @Test(arguments: [0, 1, 42])
    func `attack 9, rejects a verifier of fewer than 43 characters`(count: Int) {
        #expect(errorCode { try CodeVerifier(String(repeating: "a", count: count)) } == .malformedVerifier)
    }

    @Test(arguments: [129, 1000, 100_000])
    func `attack 10, rejects a verifier of more than 128 characters`(count: Int) {
        #expect(errorCode { try CodeVerifier(String(repeating: "a", count: count)) } == .malformedVerifier)
    }

    @Test func `attack 11, of all bytes only the 66 unreserved ones are accepted`() {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        #expect(unreserved.count == 66)
        for byte in UInt8.min...0x7F {
            for position in [0, 21, 42] {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 43)
                bytes[position] = byte
                let code = errorCode { try CodeVerifier(String(decoding: bytes, as: UTF8.self)) }
                #expect(code == (unreserved.contains(byte) ? nil : .malformedVerifier))
            }
        }
    }

    @Test(arguments: ["é", "\u{212A}", "\0", "\n", "\r\n", "😀", "e\u{301}", "\u{200B}", "\u{FEFF}", "Ａ", "%41", " "])
    func `attack 11, rejects other characters, and counts bytes`(character: String) {
        for count in [42, 43, 44, 86] {
            #expect(
                errorCode { try CodeVerifier(character + String(repeating: "a", count: count)) } == .malformedVerifier
            )
        }
    }

    @Test func `it does not print`() throws {
        let verifier = try CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        struct Attempt { let verifier: CodeVerifier }
        var dumped = ""
        dump(verifier, to: &dumped)
        dump(Attempt(verifier: verifier), to: &dumped)
        dump([verifier: [verifier]], to: &dumped)
        print(verifier, to: &dumped)
        debugPrint(verifier, to: &dumped)
        let texts = [
            dumped, "\(verifier)", String(describing: verifier), String(reflecting: verifier), "\([verifier])",
            "\(Optional(verifier) as Any)", "\(Attempt(verifier: verifier))",
            String(reflecting: Attempt(verifier: verifier)),
            "\(Mirror(reflecting: verifier).children.map { $0.value })",
        ]
        for text in texts {
            #expect(!text.contains("dBjft"))
        }
        #expect("\(verifier)" == "<redacted>")
    }

    @Test func `an error does not repeat the verifier`() {
        let secret = "secret\u{7f}" + String(repeating: "s", count: 40)
        #expect {
            try CodeVerifier(secret)
        } throws: {
            !"\($0)".contains("sss") && !"\($0)".contains("secret")
        }
    }
}
