// SPDX-License-Identifier: Apache-2.0

/// RFC 9449 section 4.3, check 6: the signature verifies with the key in the header.
///
/// It runs after the cheap checks: an otherwise invalid proof costs no signature verification, and waiting proofs can
/// be verified in batches.
enum CheckSignature {
    static func run(isSigned: Bool) throws(DPoPError) {
        guard isSigned else {
            throw DPoPError(.invalidProof, "the signature does not verify with the key in 'jwk'", step: .signature)
        }
    }
}
