// SPDX-License-Identifier: Apache-2.0

package import DPoP
import JOSE
package import StrictJSON
package import TestSupport
package import Testing

/// A proof that must be rejected, and the step that rejects it.
package struct RejectedProof: Sendable, CustomTestStringConvertible {
    /// Makes the values of the `DPoP` fields; may also change their request.
    package typealias Making = @Sendable (inout ProofBuilder, inout Scenario) async throws -> [String]

    package let testDescription: String
    package let step: ProofStep
    package let code: DPoPError.Code
    private let make: Making

    package init(
        _ name: String,
        _ step: ProofStep,
        _ code: DPoPError.Code = .invalidProof,
        _ make: @escaping Making
    ) {
        testDescription = name
        self.step = step
        self.code = code
        self.make = make
    }

    /// One member of the header is replaced or missing.
    package static func header(_ name: String, _ value: JSONValue?, _ step: ProofStep) -> RejectedProof {
        RejectedProof("\(name) is \(text(value))", step) { proof, _ in
            proof.header[name] = value
            return [try await proof.signed()]
        }
    }

    /// One member of the key in the header is replaced or missing.
    package static func key(_ name: String, _ value: JSONValue?, _ step: ProofStep = .publicKey) -> RejectedProof {
        RejectedProof("\(name) of jwk is \(text(value))", step) { proof, _ in
            var key = proof.header["jwk"]?.objectValue ?? [:]
            key[name] = value
            proof.header["jwk"] = .object(key)
            return [try await proof.signed()]
        }
    }

    /// One claim is replaced or missing.
    package static func claim(_ name: String, _ value: JSONValue?, _ step: ProofStep) -> RejectedProof {
        RejectedProof("\(name) is \(text(value))", step) { proof, _ in
            proof.claims[name] = value
            return [try await proof.signed()]
        }
    }

    /// The valid proof is sent in another form.
    package static func sent(
        _ name: String,
        _ step: ProofStep,
        _ change: @escaping @Sendable (String) -> [String]
    ) -> RejectedProof {
        RejectedProof(name, step) { proof, _ in change(try await proof.signed()) }
    }

    /// The signature of the valid proof is changed.
    package static func signature(
        _ name: String,
        _ change: @escaping @Sendable (inout [UInt8]) -> Void
    ) -> RejectedProof {
        RejectedProof(name, .signature) { proof, _ in
            [try RawJWS.changingSignature(of: try await proof.signed(), change)]
        }
    }

    /// Header and payload consist of these bytes, with a valid signature.
    package static func bytes(header: String? = nil, payload: String? = nil, _ step: ProofStep) -> RejectedProof {
        RejectedProof("\(header ?? payload ?? "")", step) { proof, _ in
            let good = (JSONValue.object(proof.header).encoded(), JSONValue.object(proof.claims).encoded())
            return [
                try await RawJWS.sign(
                    header: header.map { Array($0.utf8) } ?? good.0,
                    payload: payload.map { Array($0.utf8) } ?? good.1,
                    with: proof.signer
                )
            ]
        }
    }

    /// The valid payload, with these members in front of the others, and without the claims that they replace.
    package static func payload(
        _ members: String,
        without claims: String...,
        step: ProofStep
    ) -> RejectedProof {
        RejectedProof(members, step) { proof, _ in
            for name in claims { proof.claims[name] = nil }
            let rest = JSONValue.object(proof.claims).encoded().dropFirst()
            return [
                try await RawJWS.sign(
                    header: JSONValue.object(proof.header).encoded(),
                    payload: Array("{\(members),".utf8) + rest,
                    with: proof.signer
                )
            ]
        }
    }

    /// The valid header, with these members in front of the others, and without the members that they replace.
    package static func header(
        members: String,
        without names: String...,
        step: ProofStep
    ) -> RejectedProof {
        RejectedProof(members, step) { proof, _ in
            for name in names { proof.header[name] = nil }
            let rest = JSONValue.object(proof.header).encoded().dropFirst()
            return [
                try await RawJWS.sign(
                    header: Array("{\(members),".utf8) + rest,
                    payload: JSONValue.object(proof.claims).encoded(),
                    with: proof.signer
                )
            ]
        }
    }

    /// The valid payload, with a claim twice: with another value first, or with the same value.
    package static func repeated(_ claim: String, as spelling: String? = nil, first: String? = nil) -> RejectedProof {
        RejectedProof("\(spelling ?? claim) and \(claim), first as \(first ?? "the same")", .wellFormed) { proof, _ in
            let value = String(decoding: (proof.claims[claim] ?? .null).encoded(), as: UTF8.self)
            let member = "\"\(spelling ?? claim)\":\(first ?? value)"
            let rest = JSONValue.object(proof.claims).encoded().dropFirst()
            return [
                try await RawJWS.sign(
                    header: JSONValue.object(proof.header).encoded(),
                    payload: Array("{\(member),".utf8) + rest,
                    with: proof.signer
                )
            ]
        }
    }

    private static func text(_ value: JSONValue?) -> String {
        guard let value else { return "missing" }
        let text = String(decoding: value.encoded(), as: UTF8.self)
        return text.utf8.count > 60 ? "\(text.prefix(30))..., \(text.utf8.count) bytes" : text
    }

    /// One case for each step, for properties that hold whichever step fails.
    package static let sample: [RejectedProof] = [
        fields[1], notATokenOfThreeSegments[2], types[0], algorithms[5], privateKeys[0], jti[0], htm[4], htu[5],
        iatOutsideTheWindow[0], validityPeriod[0], ath[0], keyBinding[0], nonces[0], signatures[0],
    ]

    /// The values of the `DPoP` fields.
    package func fields(_ proof: inout ProofBuilder, _ scenario: inout Scenario) async throws -> [String] {
        try await make(&proof, &scenario)
    }

    /// Expects the rejection, also from a verifier that has cached the header of the valid proof.
    package func expectRefusal(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        var scenario = try Scenario()
        let others = [try await scenario.proof(jti: "1").signed(), try await scenario.proof(jti: "2").signed()]
        var builder = scenario.proof()
        let fields = try await make(&builder, &scenario)
        try expectRefusal(of: fields, scenario, scenario.verifier, sourceLocation)
        let knowing = scenario.verifier
        let expectation = try Scenario().expectation
        // Rejected if the policy does not allow its algorithm.
        for other in others { _ = try? knowing.demanding(.off).check([other], against: expectation, at: Scenario.now) }
        try expectRefusal(of: fields, scenario, knowing, sourceLocation)
    }

    /// Expects the rejection: by this step, with this code, after no later step, and without revealing a secret.
    private func expectRefusal(
        of fields: [String],
        _ scenario: Scenario,
        _ verifier: DPoPProofVerifier,
        _ sourceLocation: SourceLocation
    ) throws {
        var passed: [ProofStep] = []
        let error = failure {
            try verifier.check(fields, against: scenario.expectation, at: scenario.now) { passed.append($0) }
        }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        #expect(error?.step == step, sourceLocation: sourceLocation)
        #expect(!passed.contains(step), "a step that passed fails later", sourceLocation: sourceLocation)
        #expect(passed == Array(ProofStep.all.prefix(passed.count)), sourceLocation: sourceLocation)
        let position = try #require(ProofStep.all.firstIndex(of: step), sourceLocation: sourceLocation)
        #expect(passed.count <= position, sourceLocation: sourceLocation)
        // Without alg, the algorithm step fails while the token is parsed; all other steps fail in order.
        #expect(passed.count == position || step == .algorithm, sourceLocation: sourceLocation)
        let printed = error.map { "\($0) \($0.reason)" } ?? ""
        #expect(!printed.contains(Scenario.accessToken), sourceLocation: sourceLocation)
        #expect(!fields.contains { !$0.isEmpty && printed.contains($0) }, sourceLocation: sourceLocation)
    }
}
