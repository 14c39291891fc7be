// SPDX-License-Identifier: Apache-2.0

package import DPoP
import Testing

/// The proofs of one attack, or of a few attacks that differ only in name.
package struct ProofAttack: Sendable, CustomTestStringConvertible {
    package let numbers: [Int]
    package let testDescription: String
    /// The proofs that must be rejected.
    package let proofs: [RefusedProof]
    /// The nonce policy under which the proofs are invalid.
    package let nonces: DPoPNoncePolicy

    init(_ numbers: [Int], _ name: String, nonces: DPoPNoncePolicy = .off, _ proofs: [RefusedProof]) {
        self.numbers = numbers
        self.nonces = nonces
        testDescription = "attack \(numbers.map(String.init).joined(separator: ", ")), \(name)"
        self.proofs = proofs
    }

    /// Every attack that one rejected proof shows; attacks with several requests have separate tests.
    package static let all = [
        ProofAttack([65, 66, 67], "not exactly one field", RefusedProof.fields),
        ProofAttack([68, 81], "not a JWT in strict compact serialization", RefusedProof.notATokenOfThreeSegments),
        ProofAttack([68], "header or payload is not a JSON object", RefusedProof.notJSON),
        ProofAttack([69], "typ", RefusedProof.types),
        ProofAttack([70], "alg is missing, none or symmetric", RefusedProof.algorithms),
        ProofAttack([71], "alg is not in the list", RefusedProof.algorithmsNotAllowed),
        ProofAttack([72], "alg does not fit the key", RefusedProof.algorithmOfAnotherCurve),
        ProofAttack([73], "jwk is missing", RefusedProof.noKey),
        ProofAttack([74], "jwk is a private or symmetric key", RefusedProof.privateKeys),
        ProofAttack([75], "jwk is malformed", RefusedProof.malformedKeys),
        ProofAttack([75], "jwk is off the curve", RefusedProof.keysOffTheCurve),
        ProofAttack([76], "RSA keys", RefusedProof.rsaKeys),
        ProofAttack([77], "keys that the header points to", RefusedProof.keysElsewhere),
        ProofAttack([78], "crit and b64", RefusedProof.critical),
        ProofAttack([79], "the signature does not verify", RefusedProof.signatures),
        ProofAttack([82], "jti", RefusedProof.jti),
        ProofAttack([83], "htm", RefusedProof.htm),
        ProofAttack([84], "htu", RefusedProof.htu),
        ProofAttack([85], "htu with another path", RefusedProof.htuPath),
        ProofAttack([86], "htu of another host", RefusedProof.htuOfAnotherHost),
        ProofAttack([87], "iat", RefusedProof.iat),
        ProofAttack([88], "iat outside the window", RefusedProof.iatOutsideTheWindow),
        ProofAttack([88], "iat answered with a nonce", nonces: .onSkew, RefusedProof.iatThatANonceMends),
        ProofAttack([88], "exp and nbf", RefusedProof.validityPeriod),
        ProofAttack([89], "ath", RefusedProof.ath),
        ProofAttack([96], "nonce", nonces: .required, RefusedProof.nonces + RefusedProof.malformedNonces),
        ProofAttack([97], "another key than the bound one", RefusedProof.keyBinding),
        ProofAttack([98], "duplicate members", RefusedProof.duplicateMembers),
        ProofAttack([112, 113], "another kind of token", RefusedProof.otherKindsOfToken),
    ]
}
