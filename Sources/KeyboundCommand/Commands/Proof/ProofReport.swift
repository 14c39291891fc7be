// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import StrictJSON

/// The result of each step in verifying one proof.
struct ProofReport {
    struct Failure {
        let step: ProofStep
        let reason: String
    }

    enum Outcome: String {
        case passed
        case failed
        case notReached = "not reached"
        case notChecked = "not checked"
    }

    struct Row {
        let step: ProofStep
        let outcome: Outcome
        /// Why it failed, or why it was not checked.
        let remark: String?
    }

    let rows: [Row]
    let failure: Failure?
    /// The proof, if every step passed.
    let proof: VerifiedProof?

    init(
        _ fieldValues: [String],
        against expectation: ExpectedRequest,
        nonce: String?,
        policy: ProofPolicy,
        at now: Timestamp
    ) {
        // The nonces of another server cannot be verified here, only compared.
        let verifier = DPoPProofVerifier(
            policy: policy,
            nonces: DPoPNonceIssuer(role: .resourceServer, secrets: [])
        )
        var passed: [ProofStep] = []
        var proof: VerifiedProof?
        var failure: Failure?
        do {
            proof = try verifier.check(fieldValues, against: expectation, at: now) { passed.append($0) }
        } catch {
            failure = Failure(step: error.step ?? .wellFormed, reason: error.reason)
        }
        if let nonce, passed.contains(.nonce), Self.nonce(of: fieldValues) != nonce {
            let isMissing = Self.nonce(of: fieldValues) == nil
            failure = Failure(
                step: .nonce,
                reason: isMissing ? "the proof has no 'nonce'" : "the 'nonce' is not the one that the server issued"
            )
            proof = nil
            passed = Array(passed.prefix { $0 != .nonce })
        }
        let unchecked = Self.unchecked(expectation, nonce)
        rows = ProofStep.all.map { step in
            if let failure, failure.step == step { return Row(step: step, outcome: .failed, remark: failure.reason) }
            if let remark = unchecked[step], failure == nil || passed.contains(step) {
                return Row(step: step, outcome: .notChecked, remark: remark)
            }
            return Row(step: step, outcome: passed.contains(step) ? .passed : .notReached, remark: nil)
        }
        self.failure = failure
        self.proof = proof
    }

    private static func nonce(of fieldValues: [String]) -> String? {
        guard let value = fieldValues.first, let jws = try? CompactJWS(parsing: value) else { return nil }
        return try? jws.payloadObject()["nonce"]?.stringValue
    }

    private static func unchecked(_ expectation: ExpectedRequest, _ nonce: String?) -> [ProofStep: String] {
        var steps: [ProofStep: String] = [.replay: "only a server that remembers proofs can tell"]
        if nonce == nil { steps[.nonce] = "no --nonce was given" }
        if expectation.accessToken == nil { steps[.accessTokenHash] = "no --access-token-file was given" }
        if expectation.thumbprint == nil { steps[.keyBinding] = "no --jkt was given" }
        return steps
    }

    /// The report for a script.
    var json: JSONValue {
        let steps = rows.map { row in
            var step: JSONObject = [
                "step": .string(row.step.name), "rule": .string(row.step.section),
                "outcome": .string(row.outcome.rawValue),
            ]
            step["remark"] = row.remark.map { .string($0) }
            return JSONValue.object(step)
        }
        var result: JSONObject = ["valid": .bool(failure == nil), "steps": .array(steps)]
        result["jkt"] = proof.map { .string($0.thumbprint.description) }
        result["claims"] = proof.map { .object($0.payload) }
        return .object(result)
    }

    /// Prints the report as text.
    func describe(on console: Console) {
        for row in rows {
            let name = row.step.name.padded(to: 18)
            console.print("\(mark(row.outcome, console.style))  \(name)  \(row.step.section)")
            if let remark = row.remark { console.print("             \(console.style.dim(SafeText.of(remark)))") }
        }
        guard let proof else { return }
        console.print("")
        console.print("\(console.style.good("valid")): made with the key \(proof.thumbprint)")
    }

    private func mark(_ outcome: Outcome, _ style: TerminalStyle) -> String {
        let text = outcome.rawValue.padded(to: 11)
        switch outcome {
        case .passed: return style.good(text)
        case .failed: return style.bad(text)
        case .notReached, .notChecked: return style.dim(text)
        }
    }
}

extension String {
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 0))
    }
}
