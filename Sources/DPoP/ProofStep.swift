// SPDX-License-Identifier: Apache-2.0

/// One step of verifying a proof, with its name and the section of its rule.
public struct ProofStep: Sendable, Hashable, CustomStringConvertible {
    /// The stable name, in lower case with hyphens.
    public let name: String
    /// The document and section of the rule.
    public let section: String

    init(_ name: String, _ section: String) {
        self.name = name
        self.section = section
    }

    /// There is exactly one `DPoP` field.
    public static let singleField = ProofStep("single-field", "RFC 9449 section 4.3, check 1")
    /// The value is one well-formed JWT.
    public static let wellFormed = ProofStep("well-formed", "RFC 9449 section 4.3, check 2")
    /// All required claims are present.
    public static let requiredClaims = ProofStep("required-claims", "RFC 9449 section 4.3, check 3")
    /// `typ` is `dpop+jwt`.
    public static let type = ProofStep("type", "RFC 9449 section 4.3, check 4")
    /// `alg` is asymmetric, supported and allowed.
    public static let algorithm = ProofStep("algorithm", "RFC 9449 section 4.3, check 5")
    /// The signature verifies with the key in the header.
    public static let signature = ProofStep("signature", "RFC 9449 section 4.3, check 6")
    /// `jwk` is a public key of the type that `alg` needs.
    public static let publicKey = ProofStep("public-key", "RFC 9449 section 4.3, check 7")
    /// `htm` is the method of the request.
    public static let method = ProofStep("method", "RFC 9449 section 4.3, check 8")
    /// `htu` is the URI of the request.
    public static let targetURI = ProofStep("target-uri", "RFC 9449 section 4.3, check 9")
    /// This server issued `nonce`.
    public static let nonce = ProofStep("nonce", "RFC 9449 section 4.3, check 10")
    /// The proof is fresh.
    public static let freshness = ProofStep("freshness", "RFC 9449 section 4.3, check 11")
    /// `exp` and `nbf`, if present, are satisfied.
    public static let validityPeriod = ProofStep("validity-period", "RFC 7519 sections 4.1.4 and 4.1.5")
    /// `ath` is the hash of the access token.
    public static let accessTokenHash = ProofStep("access-token-hash", "RFC 9449 section 4.3, check 12")
    /// The token is bound to the key of the proof.
    public static let keyBinding = ProofStep("key-binding", "RFC 9449 section 4.3, check 12")
    /// The proof was not used before.
    public static let replay = ProofStep("replay", "RFC 9449 section 11.1")

    /// The name and the section.
    public var description: String { "\(name), \(section)" }
}

extension ProofStep {
    /// Every step, in the order in which they run.
    public static let all: [ProofStep] = [
        .singleField, .wellFormed, .type, .algorithm, .publicKey, .requiredClaims, .method, .targetURI, .validityPeriod,
        .accessTokenHash, .nonce, .freshness, .keyBinding, .signature, .replay,
    ]
}
