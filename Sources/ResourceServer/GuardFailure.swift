// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// Why a check fails, as reported to the client (RFC 6750 section 3, RFC 9449 section 7.1) and to the API.
struct GuardFailure: Error {
    let status: Int
    /// The challenges in order; empty for a failure of the server.
    private(set) var challenges: [Challenge]
    let reason: RejectionReason
    /// `DPoP-Nonce`.
    var nonce: String?

    init(status: Int = 401, challenges: [Challenge], _ reason: RejectionReason) {
        self.status = status
        self.challenges = challenges
        self.reason = reason
    }

    /// The same failure, with a link to the metadata of the API (RFC 9728 section 5.1).
    func leading(to address: String) -> GuardFailure {
        guard status == 401 else { return self }
        var failure = self
        failure.challenges = challenges.map {
            let more = Challenge.Parameter(name: "resource_metadata", value: address)
            return Challenge(scheme: $0.scheme, parameters: $0.parameters + [more])
        }
        return failure
    }

    /// The response to send, and the reason.
    var rejection: Rejection { Rejection(response: response, reason: reason) }

    private var response: HTTPResponse {
        var fields: HTTPFields = ["Cache-Control": "no-store"]
        for challenge in challenges {
            fields.append(name: "WWW-Authenticate", value: challenge.fieldValue)
        }
        if status == 503 { fields["Retry-After"] = "2" }
        if let nonce { fields["DPoP-Nonce"] = nonce }
        // RFC 9449 sections 7.1 and 8: scripts of other origins must be able to read both.
        fields["Access-Control-Expose-Headers"] = "DPoP-Nonce, WWW-Authenticate"
        return HTTPResponse(status: status, fields: fields)
    }

    /// The keys of the issuer or the replay store are unavailable, which is not the client's fault.
    static func unavailable(_ what: String) -> GuardFailure {
        GuardFailure(
            status: 503,
            challenges: [],
            RejectionReason("availability", "RFC 9110 section 15.6.4", expected: what)
        )
    }
}
