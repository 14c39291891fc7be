// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore

/// Makes the challenges of an API that accepts only bound tokens (RFC 9449 section 7.1).
struct ChallengeWriter: Sendable {
    /// `algs`: the accepted algorithms of proofs, separated by spaces.
    let algorithms: String

    init(algorithms: Set<SignatureAlgorithm>) {
        self.algorithms = algorithms.map(\.rawValue).sorted().joined(separator: " ")
    }

    /// The request has no credentials: a challenge without an error (RFC 6750 section 3.1).
    var missingCredentials: Rejection {
        Rejection(challenges: [dpop()])
    }

    /// The request has credentials of several kinds, or in the wrong location (RFC 9449 section 7.2, figure 19).
    var severalCredentials: Rejection {
        let description = "Multiple methods used to include access token"
        let bearer = Challenge(
            scheme: "Bearer",
            parameters: [
                .init(name: "error", value: OAuthErrorCode.invalidRequest.rawValue),
                .init(name: "error_description", value: description),
            ]
        )
        return Rejection(status: 400, challenges: [bearer, dpop(.invalidRequest, description)])
    }

    /// The challenge of the used scheme contains the error (RFC 9449 section 7.2, figure 18).
    func bearerRejected(_ description: String) -> Rejection {
        let bearer = Challenge(
            scheme: "Bearer",
            parameters: [
                .init(name: "error", value: OAuthErrorCode.invalidToken.rawValue),
                .init(name: "error_description", value: description),
            ]
        )
        return Rejection(challenges: [bearer, dpop()])
    }

    func refused(_ error: OAuthErrorCode, _ description: String) -> Rejection {
        Rejection(challenges: [dpop(error, description)])
    }

    /// The token is valid, but lacks the scope (RFC 6750 section 3.1).
    func insufficientScope(_ needed: Scope) -> Rejection {
        let challenge = dpop(
            .insufficientScope,
            "The access token does not have the scope that is needed",
            [.init(name: "scope", value: needed.description)]
        )
        return Rejection(status: 403, challenges: [challenge])
    }

    private func dpop(
        _ error: OAuthErrorCode? = nil,
        _ description: String? = nil,
        _ more: [Challenge.Parameter] = []
    ) -> Challenge {
        var parameters: [Challenge.Parameter] = []
        if let error { parameters.append(.init(name: "error", value: error.rawValue)) }
        if let description { parameters.append(.init(name: "error_description", value: description)) }
        parameters += more
        parameters.append(.init(name: "algs", value: algorithms))
        return Challenge(scheme: "DPoP", parameters: parameters)
    }
}
