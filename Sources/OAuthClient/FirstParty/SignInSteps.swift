// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import StrictJSON

/// The steps of an answer, checked.
struct SignInSteps {
    /// The most steps that an answer may offer.
    static let maximumCount = 16

    /// The steps in the order of the server; never empty.
    let all: [SignInStep]

    /// Reads `steps`.
    ///
    /// - Throws: ``OAuthClientError/Code/malformedResponse``.
    init(parsing object: JSONObject) throws(OAuthClientError) {
        guard let values = object[FirstPartyParameter.steps]?.arrayValue, (1...Self.maximumCount).contains(values.count)
        else {
            throw OAuthClientError(
                .malformedResponse,
                "the answer of the authorization challenge endpoint does not have 1 to \(Self.maximumCount) steps"
            )
        }
        var steps: [SignInStep] = []
        for value in values { steps.append(try SignInStep(parsing: value.objectValue ?? [:])) }
        all = steps
    }
}
