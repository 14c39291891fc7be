// SPDX-License-Identifier: Apache-2.0

package import DPoP
import Testing

/// The proofs of one attack, or of a few attacks that differ only in name.
package struct ProofAttack: Sendable, CustomTestStringConvertible {
    package let numbers: [Int]
    package let testDescription: String
    /// The proofs that must be rejected.
    package let proofs: [RejectedProof]
    /// The nonce policy under which the proofs are invalid.
    package let nonces: DPoPNoncePolicy

    init(_ numbers: [Int], _ name: String, nonces: DPoPNoncePolicy = .off, _ proofs: [RejectedProof]) {
        self.numbers = numbers
        self.nonces = nonces
        testDescription = "attack \(numbers.map(String.init).joined(separator: ", ")), \(name)"
        self.proofs = proofs
    }

    /// Every attack that one rejected proof shows; attacks with several requests have separate tests.
    package static let all = [
        ProofAttack([65, 66, 67], "not exactly one field", RejectedProof.fields),
        ProofAttack([68, 81], "not a JWT in strict compact serialization", RejectedProof.notATokenOfThreeSegments),
        ProofAttack([68], "header or payload is not a JSON object", RejectedProof.notJSON),
        ProofAttack([69], "typ", RejectedProof.types),
        ProofAttack([70], "alg is missing, none or symmetric", RejectedProof.algorithms),
        ProofAttack([71], "alg is not in the list", RejectedProof.algorithmsNotAllowed),
        ProofAttack([72], "alg does not fit the key", RejectedProof.algorithmOfAnotherCurve),
        ProofAttack([73], "jwk is missing", RejectedProof.noKey),
        ProofAttack([74], "jwk is a private or symmetric key", RejectedProof.privateKeys),
        ProofAttack([75], "jwk is malformed", RejectedProof.malformedKeys),
        ProofAttack([75], "jwk is off the curve", RejectedProof.keysOffTheCurve),
        ProofAttack([76], "RSA keys", RejectedProof.rsaKeys),
        ProofAttack([77], "keys that the header points to", RejectedProof.keysElsewhere),
        ProofAttack([78], "crit and b64", RejectedProof.critical),
        ProofAttack([79], "the signature does not verify", RejectedProof.signatures),
        ProofAttack([82], "jti", RejectedProof.jti),
        ProofAttack([83], "htm", RejectedProof.htm),
        ProofAttack([84], "htu", RejectedProof.htu),
        ProofAttack([85], "htu with another path", RejectedProof.htuPath),
        ProofAttack([86], "htu of another host", RejectedProof.htuOfAnotherHost),
        ProofAttack([87], "iat", RejectedProof.iat),
        ProofAttack([88], "iat outside the window", RejectedProof.iatOutsideTheWindow),
        ProofAttack([88], "iat answered with a nonce", nonces: .onSkew, RejectedProof.iatThatANonceMends),
        ProofAttack([88], "exp and nbf", RejectedProof.validityPeriod),
        ProofAttack([89], "ath", RejectedProof.ath),
        ProofAttack([96], "nonce", nonces: .required, RejectedProof.nonces + RejectedProof.malformedNonces),
        ProofAttack([97], "another key than the bound one", RejectedProof.keyBinding),
        ProofAttack([98], "duplicate members", RejectedProof.duplicateMembers),
        ProofAttack([112, 113], "another kind of token", RejectedProof.otherKindsOfToken),
    ]
}
