// SPDX-License-Identifier: Apache-2.0

/// RFC 9449 section 4.3, check 9: `htu` is the URI of the request, without query and fragment, both normalised.
enum CheckTargetURI {
    static func run(_ claims: ProofClaims, targetURI: TargetURI) throws(DPoPError) {
        // Most proofs contain the URI as it was sent: if the texts are equal, so are the URIs.
        if claims.isTargetURI(targetURI.htu) { return }
        guard try normalized(claims.htu) == targetURI else {
            throw DPoPError(.invalidProof, "'htu' is not the URI of the request", step: .targetURI)
        }
    }

    private static func normalized(_ htu: String) throws(DPoPError) -> TargetURI {
        do {
            return try TargetURI(parsing: htu)
        } catch {
            throw DPoPError(.invalidProof, "'htu': \(error.reason)", step: .targetURI, underlying: error)
        }
    }
}
