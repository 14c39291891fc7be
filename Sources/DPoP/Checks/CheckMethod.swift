// SPDX-License-Identifier: Apache-2.0

/// RFC 9449 section 4.3, check 8: `htm` is the method of the request, case-sensitive (RFC 9110 section 9.1).
enum CheckMethod {
    static func run(_ claims: ProofClaims, method: String) throws(DPoPError) {
        guard claims.isMethod(method) else {
            throw DPoPError(.invalidProof, "'htm' is not the method of the request", step: .method)
        }
    }
}
