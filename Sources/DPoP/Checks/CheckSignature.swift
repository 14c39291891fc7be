// SPDX-License-Identifier: Apache-2.0

/// RFC 9449 section 4.3, check 6: the signature verifies with the key in the header.
///
/// It is a step of its own after the cheap checks: a bad proof costs nothing, and waiting proofs can be verified together.
enum CheckSignature {
    static func run(isSigned: Bool) throws(DPoPError) {
        guard isSigned else {
            throw DPoPError(.invalidProof, "the signature does not verify with the key in 'jwk'", step: .signature)
        }
    }
}
