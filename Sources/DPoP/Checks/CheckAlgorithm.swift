// SPDX-License-Identifier: Apache-2.0

import JOSE

/// RFC 9449 section 4.3, check 5: `alg` is an asymmetric algorithm that is supported and allowed (section 11.6).
enum CheckAlgorithm {
    static func run(_ algorithm: SignatureAlgorithm, policy: ProofPolicy) throws(DPoPError) {
        guard policy.algorithms.contains(algorithm) else {
            let allowed = policy.algorithms.map(\.rawValue).sorted().joined(separator: ", ")
            throw DPoPError(.invalidProof, "'alg' is not one of \(allowed)", step: .algorithm)
        }
    }
}
