// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// What an answer says about proof and token.
///
/// Authorization servers say it in the body and APIs in challenges (RFC 9449 sections 8 and 9); some say both, or the
/// other, so that both are looked at whoever answers.
struct ProofResult {
    private let status: Int
    private let codes: Set<OAuthErrorCode>
    /// What the next sign-in must ask for, when the user must sign in anew (RFC 9470 section 3).
    let stepUp: StepUpChallenge?

    /// Whether the body of an answer with this status matters.
    static func reads(status: Int) -> Bool { status == 400 || status == 401 }

    init(_ response: HTTPResponse) {
        status = response.status
        guard Self.reads(status: status) else {
            (codes, stepUp) = ([], nil)
            return
        }
        // Libraries join several fields into one; a challenge of another scheme may come first.
        let challenges = (try? Challenge.parse(response.fields.values(for: "WWW-Authenticate"))) ?? []
        let challenged = challenges.filter { $0.hasScheme("DPoP") || $0.hasScheme("Bearer") }
            .compactMap { $0.value(for: "error") }
            .map(OAuthErrorCode.init)
        let body = FailedResponse(response).error?.error
        stepUp = status == 401 ? StepUpChallenge(challenges) : nil
        codes = Set(challenged + [body].compactMap(\.self))
    }

    /// Whether the server wants its newest nonce in the proof.
    var demandsNonce: Bool { codes.contains(.useDPoPNonce) }

    /// Whether the proof was refused, as it is when its `iat` is too far off.
    var refusesProof: Bool { codes.contains(.invalidDPoPProof) }

    /// Whether the server does not believe who the client is; an assertion is refused when its `iat` is too far off.
    var refusesClient: Bool { codes.contains(.invalidClient) }

    /// Whether the signed authorization request was refused, as it is when its `nbf` is in the server's future.
    var refusesRequestObject: Bool { codes.contains(.invalidRequestObject) }

    /// Whether the access token is no longer good, so that a refresh is worth it.
    ///
    /// A 403 is not one of these (RFC 6750 section 3.1).
    var rejectsToken: Bool { status == 401 && codes.contains(.invalidToken) }
}
