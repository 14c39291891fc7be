// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto
import ProofSuite
import StrictJSON
import TestSupport
import Testing

@testable import DPoP

/// That each refusal is the same with a known header is in ``RejectedProof/expectRefusal(sourceLocation:)``.
@Suite("RFC 9449 section 4.3: headers that were read before")
struct KnownHeaderTests {
    private let scenario: Scenario
    private let verifier: DPoPProofVerifier

    init() throws {
        scenario = try Scenario()
        verifier = scenario.verifier
    }

    private func check(
        _ text: String,
        _ verifier: DPoPProofVerifier? = nil,
        passing: (ProofStep) -> Void = { _ in }
    ) throws(DPoPError) -> VerifiedProof {
        try (verifier ?? self.verifier)
            .check([text], against: scenario.expectation, at: scenario.now, passing: passing)
    }

    /// Makes the header of a good proof known.
    private func introduce() async throws {
        for number in 1...2 { _ = try check(try await scenario.proof(jti: "introduction \(number)").signed()) }
    }

    private func isKnown(_ text: String, _ verifier: DPoPProofVerifier? = nil) throws(DPoPError) -> Bool {
        try (verifier ?? self.verifier).read([text], against: scenario.expectation, at: scenario.now).isHeaderKnown
    }

    @Test func `the same steps pass, and the same is found`() async throws {
        let (first, second) = (try await scenario.proof(jti: "1").signed(), try await scenario.proof(jti: "2").signed())
        #expect(try !isKnown(first))
        let new = try check(first)
        #expect(try !isKnown(second))
        _ = try check(try await scenario.proof(jti: "3").signed())
        #expect(try isKnown(second))
        var passed: [ProofStep] = []
        let known = try check(second) { passed.append($0) }
        #expect(passed == ProofStep.all.dropLast())
        #expect(known.header == new.header)
        #expect(known.key == new.key)
        #expect(known.thumbprint == new.thumbprint)
        #expect(known.payload["jti"] == "2")
    }

    @Test func `a header is known only after two signatures of its key`() async throws {
        let good = try await scenario.proof().signed()
        let forged = try RawJWS.changingSignature(of: good) { $0[40] ^= 1 }
        for _ in 0..<3 { #expect(failure { try check(forged) }?.step == .signature) }
        #expect(try !isKnown(good))
        _ = try check(good)
        for _ in 0..<3 { #expect(failure { try check(forged) }?.step == .signature) }
        #expect(try !isKnown(good))
        _ = try check(good)
        #expect(try isKnown(good))
        #expect(failure { try check(forged) }?.step == .signature)
        #expect(try isKnown(good))
    }

    @Test func `the signature of another key does not pass with a known header`() async throws {
        try await introduce()
        var proof = scenario.proof(jti: "2")
        proof.signer = try TestKey.p256(2)
        let text = try await proof.signed()
        #expect(try isKnown(text))
        #expect(failure { try check(text) }?.step == .signature)
    }

    @Test func `another spelling of the header is another header`() async throws {
        try await introduce()
        var proof = scenario.proof(jti: "2")
        proof.header["more"] = "members"
        #expect(try !isKnown(try await proof.signed()))
    }

    @Test func `a verifier with another demand for nonces knows the same headers`() async throws {
        try await introduce()
        let other = verifier.demanding(.required)
        var proof = scenario.proof(jti: "2")
        let without = try await proof.signed()
        #expect(failure { try check(without, other) }?.code == .nonceRequired)
        proof.claims["nonce"] = .string(scenario.nonces.nonce(at: scenario.now))
        #expect(try isKnown(try await proof.signed(), other))
    }

    @Test func `a key whose header changes in one character is known again`() async throws {
        // Few characters are looked at before the whole is compared: any of these may be the one that is not.
        let good = try check(try await scenario.proof().signed())
        let headers = HeaderCache()
        for place in 0..<24 {
            let letters = String((0..<25).map { $0 == place ? "b" : "a" })
            var proof = scenario.proof()
            proof.header["fill"] = .string(letters)
            let text = try await proof.signed()
            let encoded = try EncodedJWS(text, maximumLength: 8192)
            #expect(headers.header(of: encoded) == nil)
            let jws = try CompactJWS(parsing: text)
            for _ in 0..<2 { headers.note(VerifiedHeader(of: jws, key: good.key), of: jws) }
            #expect(headers.header(of: encoded)?.jwsHeader.object["fill"] == .string(letters))
        }
    }

    @Test func `a header that is too long is read each time`() async throws {
        var proof = scenario.proof()
        proof.header["fill"] = .string(String(repeating: "a", count: 800))
        let text = try await proof.signed()
        for _ in 0..<3 { _ = try check(text) }
        #expect(try !isKnown(text))
    }

    @Test func `beyond what there is room for, the newest are known`() async throws {
        let headers = HeaderCache()
        let good = try check(try await scenario.proof().signed())
        for number in 0..<2000 {
            var proof = scenario.proof()
            proof.header["kid"] = .string("\(number)")
            let text = try await proof.signed()
            let jws = try CompactJWS(parsing: text)
            for _ in 0..<2 { headers.note(VerifiedHeader(of: jws, key: good.key), of: jws) }
            let found = headers.header(of: try EncodedJWS(text, maximumLength: 8192))
            #expect(found?.jwsHeader.object["kid"] == .string("\(number)"))
        }
    }

    @Test func `many threads at once`() async throws {
        let scenario = scenario
        let verifier = verifier
        let keys = try (1...3).map { try TestKey.p256($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<30 {
                        let key = keys[(task + number) % keys.count]
                        var proof = scenario.proof(jti: "\(task)-\(number)")
                        proof.signer = key
                        proof.header["jwk"] = .object(key.publicKey.json)
                        var expectation = scenario.expectation
                        expectation.thumbprint = key.publicKey.thumbprint
                        let text = try await proof.signed()
                        let checked = try verifier.check([text], against: expectation, at: scenario.now)
                        #expect(checked.thumbprint == key.publicKey.thumbprint)
                        let forged = try RawJWS.changingSignature(of: text) { $0[9] ^= 4 }
                        #expect(throws: DPoPError.self) {
                            try verifier.check([forged], against: expectation, at: scenario.now)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
