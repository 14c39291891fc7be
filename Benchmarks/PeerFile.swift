// SPDX-License-Identifier: Apache-2.0

import DPoP
import Foundation
import JOSE
import OAuthSystem
import StrictJSON

/// A file with the proofs that all implementations verify, and others that a verifier must reject.
enum PeerFile {
    /// These operations come before the first counted one; they fill caches and let JIT compilers finish.
    static let warmUp = 1000
    static let counted = 3000

    /// The same secret in every process, so that one can check the nonces of the other.
    private struct FixedEntropy: Entropy {
        func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }
    }

    static func scenario(now: Timestamp) throws -> ProofScenario {
        try ProofScenario(now: now, nonceSecrets: FixedEntropy())
    }

    static func write(to path: String) async throws {
        // Real time: not every implementation lets a caller set the clock.
        let scenario = try scenario(now: Timestamp(secondsSince1970: SystemWallClock().now().secondsSince1970))
        var proofs: [JSONValue] = []
        for (number, proof) in try await scenario.makeProofs(warmUp + counted).enumerated() {
            proofs.append(["proof": .string(proof), "jkt": .string(scenario.thumbprint(of: number).description)])
        }
        let file: JSONObject = [
            "method": "GET", "uri": .string(ProofScenario.uri), "accessToken": .string(ProofScenario.accessToken),
            "nonce": .string(scenario.nonces.nonce(at: scenario.now)), "warmUp": .number(JSONNumber(Int64(warmUp))),
            "now": .number(JSONNumber(scenario.now.secondsSince1970)),
            "proofs": .array(proofs), "forged": .array(try await forged(scenario)),
        ]
        try Data(JSONValue.object(file).encoded()).write(to: URL(fileURLWithPath: path))
    }

    /// One proof for each check of RFC 9449 section 4.3, which fails only this check and is named after it.
    ///
    /// The last one is valid and is sent twice.
    private static func forged(_ scenario: ProofScenario) async throws -> [JSONValue] {
        var result: [JSONValue] = []
        func add(_ check: String, _ proof: String, of number: Int = 0) {
            result.append([
                "check": .string(check), "proof": .string(proof),
                "jkt": .string(scenario.thumbprint(of: number).description),
            ])
        }
        let old = scenario.now.secondsSince1970 - 7200
        add("signature", forgingSignature(try await scenario.makeProof(0)))
        add("typ", try await scenario.makeProof(0) { header, _ in header["typ"] = "JWT" })
        // A made-up private key: only the presence of the member matters.
        add("private", try await scenario.makeProof(0) { header, _ in header["jwk"] = addingPrivate(header["jwk"]) })
        add("htm", try await scenario.makeProof(0) { _, claims in claims["htm"] = "POST" })
        add("htu", try await scenario.makeProof(0) { _, claims in claims["htu"] = "https://api.example.com/other" })
        add("iat", try await scenario.makeProof(0) { _, claims in claims["iat"] = .number(JSONNumber(old)) })
        add(
            "ath",
            try await scenario.makeProof(0) { _, claims in claims["ath"] = "another"
            }
        )
        add("nonce", try await scenario.makeProof(0) { _, claims in claims["nonce"] = "another" })
        add("key", try await scenario.makeProof(1))
        add("jti", try await scenario.makeProof(0))
        return result
    }

    private static func addingPrivate(_ key: JSONValue?) -> JSONValue? {
        guard var object = key?.objectValue else { return nil }
        object["d"] = object["x"]
        return .object(object)
    }

    private static func forgingSignature(_ proof: String) -> String {
        // The fourth character from the end: all six of its bits count.
        var characters = Array(proof)
        let place = characters.count - 4
        characters[place] = characters[place] == "A" ? "B" : "A"
        return String(characters)
    }
}
