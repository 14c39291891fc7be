// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore

/// Makes the challenges of an API (RFC 9449 section 7.1, RFC 6750 section 3, RFC 9470 section 3).
///
/// Each response names every scheme that the API accepts; the one that the request used has the error.
struct ChallengeWriter: Sendable {
    /// `algs`: the accepted algorithms of proofs, separated by spaces.
    let algorithms: String
    /// Whether tokens that are bound to no key are accepted.
    var acceptsBearer = false

    init(algorithms: Set<SignatureAlgorithm>) {
        self.algorithms = algorithms.map(\.rawValue).sorted().joined(separator: " ")
    }

    /// The writer for requests that may, or may not, have a bearer token.
    func accepting(bearer: Bool) -> ChallengeWriter {
        var writer = self
        writer.acceptsBearer = bearer
        return writer
    }

    /// The request has no credentials: a challenge without an error (RFC 6750 section 3.1), with the scope to ask for.
    func missingCredentials(_ needed: Scope) -> GuardFailure {
        let scope = needed == .empty ? [] : [Challenge.Parameter(name: "scope", value: needed.description)]
        return GuardFailure(
            challenges: [dpop(scope)] + (acceptsBearer ? [Challenge(scheme: "Bearer", parameters: scope)] : []),
            RejectionReason("credentials", "RFC 9449 section 7.1", expected: "an access token")
        )
    }

    /// The request has credentials of several kinds (RFC 9449 section 7.2, figure 19).
    var severalCredentials: GuardFailure { malformed("Multiple methods used to include access token") }

    /// The only token is in a query or a form (RFC 9449 section 7.1, RFC 9700 section 4.3.2).
    var misplacedCredentials: GuardFailure {
        malformed("The access token must be in the Authorization field, not in a query or a form")
    }

    private func malformed(_ description: String) -> GuardFailure {
        let error = Self.error(.invalidRequest, description)
        return GuardFailure(
            status: 400,
            challenges: [Challenge(scheme: "Bearer", parameters: error), dpop(error)],
            RejectionReason("credentials", "RFC 9449 section 7.2", expected: "one access token, in Authorization")
        )
    }

    /// The token, or its proof, is rejected; the challenge of the used scheme contains the error (RFC 9449 section 7.2,
    /// figure 18).
    func rejected(
        _ error: OAuthErrorCode,
        _ description: String,
        isBearer: Bool = false,
        status: Int = 401,
        with more: [Challenge.Parameter] = [],
        _ reason: RejectionReason
    ) -> GuardFailure {
        let parameters = Self.error(error, description) + more
        let challenges =
            isBearer
            ? [Challenge(scheme: "Bearer", parameters: parameters), dpop()]
            : [dpop(parameters)] + (acceptsBearer ? [Challenge(scheme: "Bearer", parameters: [])] : [])
        return GuardFailure(status: status, challenges: challenges, reason)
    }

    private func dpop(_ parameters: [Challenge.Parameter] = []) -> Challenge {
        Challenge(scheme: "DPoP", parameters: parameters + [.init(name: "algs", value: algorithms)])
    }

    private static func error(_ error: OAuthErrorCode, _ description: String) -> [Challenge.Parameter] {
        [.init(name: "error", value: error.rawValue), .init(name: "error_description", value: description)]
    }
}
