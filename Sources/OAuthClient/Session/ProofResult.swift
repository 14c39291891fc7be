// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// What a response says about proof and token.
///
/// Authorization servers report it in the body and APIs in challenges (RFC 9449 sections 8 and 9). Some use both, or
/// the wrong one, so both are read in every response.
struct ProofResult {
    private let status: Int
    private let codes: Set<OAuthErrorCode>
    /// What the next sign-in must ask for, if the user must sign in again (RFC 9470 section 3).
    let stepUp: StepUpChallenge?

    /// `algs`: the algorithms of proofs that the server accepts (RFC 9449 section 7.1); `nil` if it does not say.
    private let acceptedAlgorithms: [String]?

    /// Whether the body of a response with this status can matter.
    static func reads(status: Int) -> Bool { status == 400 || status == 401 }

    init(_ response: HTTPResponse) {
        status = response.status
        guard Self.reads(status: status) else {
            (codes, stepUp, acceptedAlgorithms) = ([], nil, nil)
            return
        }
        // Some HTTP libraries join several fields into one, and a challenge of another scheme may come first.
        let challenges = (try? Challenge.parse(response.fields.values(for: "WWW-Authenticate"))) ?? []
        let challenged = challenges.filter { $0.hasScheme("DPoP") || $0.hasScheme("Bearer") }
            .compactMap { $0.value(for: "error") }
            .map(OAuthErrorCode.init)
        let body = FailedResponse(response).error?.error
        stepUp = status == 401 ? StepUpChallenge(challenges) : nil
        codes = Set(challenged + [body].compactMap(\.self))
        acceptedAlgorithms = challenges.first { $0.hasScheme("DPoP") }?.value(for: "algs")
            .map { $0.split(separator: " ").map(String.init) }
    }

    /// Whether the server requires its newest nonce in the proof.
    var demandsNonce: Bool { codes.contains(.useDPoPNonce) }

    /// Whether the server rejected the proof, for example because its `iat` is too far off.
    var refusesProof: Bool { codes.contains(.invalidDPoPProof) }

    /// The algorithms that the server accepts, if it rejected the proof because of the algorithm of its key: no other proof with
    /// that key can help.
    func algorithms(inPlaceOf algorithm: String) -> [String]? {
        guard refusesProof, let acceptedAlgorithms, !acceptedAlgorithms.contains(algorithm) else { return nil }
        return acceptedAlgorithms
    }

    /// Whether the server rejected the client authentication, for example an assertion whose `iat` is too far off.
    var refusesClient: Bool { codes.contains(.invalidClient) }

    /// Whether the server calls the client attestation too old, so that a new one may help.
    var demandsFreshAttestation: Bool { codes.contains(.useFreshAttestation) }

    /// Whether the server rejected the client attestation.
    var refusesAttestation: Bool { codes.contains(.invalidClientAttestation) }

    /// Whether the server rejected the signed authorization request, for example because its `nbf` is in the server's
    /// future.
    var refusesRequestObject: Bool { codes.contains(.invalidRequestObject) }

    /// Whether the API rejected the access token as invalid, so that a refresh may help.
    ///
    /// A 403 does not count (RFC 6750 section 3.1).
    var rejectsToken: Bool { status == 401 && codes.contains(.invalidToken) }
}
