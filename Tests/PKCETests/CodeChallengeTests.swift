// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import PKCE
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7636 sections 4.2 to 4.6: code challenge")
struct CodeChallengeTests {
    private let verifier: CodeVerifier
    private let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    private let plain: Set<CodeChallengeMethod> = [.s256, .plainWithoutProtection]

    init() throws {
        verifier = try CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    }

    @Test(arguments: RFCVector.all("pkce-s256"))
    func `trap 2: the example of appendix B, on both sides`(vector: RFCVector) throws {
        let octets = try vector.octets("octets")
        let verifier = CodeVerifier(entropy: FixedEntropy(octets: octets))
        #expect(try verifier.text == vector.string("code_verifier"))
        #expect(try verifier.s256Challenge.value == vector.string("code_challenge"))
        #expect(try verifier.challenge(using: .s256) == verifier.s256Challenge)
        #expect(try Base64URL.decode(verifier.s256Challenge.value) == vector.octets("sha256"))
        let received = try CodeChallenge(parsing: vector.string("code_challenge"), method: "S256")
        #expect(received == verifier.s256Challenge)
        try received.verify(CodeVerifier(vector.string("code_verifier")))
        try PKCEService().verify(vector.string("code_verifier"), against: received)
    }

    @Test func `the example is there`() {
        #expect(RFCVector.all("pkce-s256").count == 1)
    }

    @Test func `RFC 9449 figures 5 and 25 hold together`() throws {
        // The challenge of figure 25 is that of RFC 7636; the verifier of figure 5 is another one.
        let figure25 = try #require(RFCVector.all("dpop_jkt").first)
        let received = try CodeChallenge(parsing: figure25.string("code_challenge"), method: "S256")
        try received.verify(verifier)
        let figure5 = try CodeVerifier("bEaL42izcC-o-xBk0K2vuJ6U-y1p9r_wW2dFWIWgjz-")
        #expect(errorCode { try received.verify(figure5) } == .mismatch)
    }

    @Test func `attack 2, plain is rejected unless it is spelled out`() throws {
        #expect(errorCode { try CodeChallenge(parsing: verifier.text, method: "plain") } == .unsupportedMethod)
        let allowed = try CodeChallenge(parsing: verifier.text, method: "plain", allowing: plain)
        try allowed.verify(verifier)
        #expect(errorCode { try allowed.verify(CodeVerifier(challenge)) } == .mismatch)
    }

    @Test func `attack 3, no method means plain, and so is rejected`() throws {
        #expect(errorCode { try CodeChallenge(parsing: challenge, method: nil) } == .unsupportedMethod)
        #expect(try CodeChallenge(parsing: challenge, method: nil, allowing: plain).method == .plainWithoutProtection)
    }

    @Test(arguments: [
        "", "s256", "S256 ", " S256", "SHA256", "S512", "none", "Plain", "PLAIN", "S256,plain", "S\u{FF12}56",
    ])
    func `refuses another method, allowed or not`(method: String) throws {
        let other = CodeChallengeMethod(rawValue: method)
        for allowed: Set<CodeChallengeMethod> in [[.s256], [.s256, .plainWithoutProtection], [other]] {
            #expect(
                errorCode { try CodeChallenge(parsing: challenge, method: method, allowing: allowed) }
                    == .unsupportedMethod
            )
        }
        #expect(errorCode { try verifier.challenge(using: other) } == .unsupportedMethod)
    }

    @Test func `with nothing allowed nothing is accepted`() {
        #expect(errorCode { try CodeChallenge(parsing: challenge, method: "S256", allowing: []) } == .unsupportedMethod)
    }

    @Test(arguments: [
        "", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cMM",
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM=", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM",
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw/cM", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw cM",
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw.cM", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c\0",
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-é",
        "13d31e961a1ad8ec2f16b10c4c982e0876a878ad6df144566ee1894acb70f9c3",
    ])
    func `attack 5, a challenge of another length or alphabet`(value: String) {
        #expect(errorCode { try CodeChallenge(parsing: value, method: "S256") } == .malformedChallenge)
    }

    @Test func `attack 6, the same digest in another spelling`() throws {
        for last in "NOP" {
            let twin = challenge.dropLast() + String(last)
            #expect(errorCode { try CodeChallenge(parsing: String(twin), method: "S256") } == .malformedChallenge)
        }
        // The next digest is another challenge, well-formed.
        let other = try CodeChallenge(parsing: challenge.dropLast() + "Q", method: "S256")
        #expect(errorCode { try other.verify(verifier) } == .mismatch)
    }

    @Test(arguments: [42, 129])
    func `attack 5, a plain challenge has the syntax of a verifier`(count: Int) {
        let value = String(repeating: "a", count: count)
        #expect(
            errorCode { try CodeChallenge(parsing: value, method: "plain", allowing: plain) } == .malformedChallenge
        )
    }

    @Test func `attack 8, every changed character of the verifier is noticed`() throws {
        let received = try CodeChallenge(parsing: challenge, method: "S256")
        let text = Array(verifier.text.utf8)
        for index in text.indices {
            var other = text
            other[index] = text[index] == UInt8(ascii: "~") ? UInt8(ascii: "a") : UInt8(ascii: "~")
            let wrong = try CodeVerifier(String(decoding: other, as: UTF8.self))
            #expect(errorCode { try received.verify(wrong) } == .mismatch)
        }
        let longer = try CodeVerifier(verifier.text + "A")
        #expect(errorCode { try received.verify(longer) } == .mismatch)
    }

    @Test func `attack 13, the challenge itself is not its verifier`() throws {
        let received = try CodeChallenge(parsing: challenge, method: "S256")
        #expect(errorCode { try PKCEService().verify(challenge, against: received) } == .mismatch)
    }

    @Test func `attacks 7 and 9 to 11, a verifier that is missing or malformed is rejected before it is compared`()
        throws
    {
        let received = try CodeChallenge(parsing: challenge, method: "S256")
        for text in ["", String(verifier.text.dropLast()), verifier.text + "é", String(repeating: "a", count: 129)] {
            #expect(errorCode { try PKCEService().verify(text, against: received) } == .malformedVerifier)
        }
    }

    @Test func `trap 2: the text of the verifier is hashed, not the bytes that it encodes`() throws {
        let dots = try CodeVerifier(String(repeating: "~.", count: 30))
        try CodeChallenge(parsing: dots.s256Challenge.value, method: "S256").verify(dots)
        // The pair of RFC 9126 section 2.1 and others, with characters that base64url has beside letters and digits.
        let published = try CodeVerifier("M25iVXpKU3puUjFaYWg3T1NDTDQtcW1ROUY5YXlwalNoc0hhakxifmZHag")
        #expect(published.s256Challenge.value == "qjrzSW9gMiUgpUvqgEPE4_-8swvyCtfOVvg55o5S_es")
    }

    @Test func `the service makes pairs that verify, each another one`() throws {
        let service = PKCEService(entropy: SeededEntropy())
        let (first, second) = (service.create(), service.create())
        #expect(first.challenge.method == .s256)
        try service.verify(first.verifier.text, against: first.challenge)
        try service.verify(second.verifier.text, against: second.challenge)
        #expect(errorCode { try service.verify(first.verifier.text, against: second.challenge) } == .mismatch)
    }
}

private struct FixedEntropy: Entropy {
    let octets: [UInt8]
    func bytes(_ count: Int) -> [UInt8] { Array(octets.prefix(count)) }
}
