// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// OAuth 2.0 for First-Party Applications section 5.3: an answer has the parameters of its step and no others, so that no
/// request is mixed from two.
struct CheckAnswerParameters: Rule {
    let section = "OAuth 2.0 for First-Party Applications section 5.3"

    /// Those of every answer, and of client authentication.
    private static let common: Set<String> = [
        FirstPartyParameter.authSession, FirstPartyParameter.step, "client_id", "response_type", "client_secret",
        "client_assertion", "client_assertion_type",
    ]

    func check(_ request: FormRequest, _ services: Services) throws(ProtocolFailure) {
        _ = try request.requiredParameter(FirstPartyParameter.authSession)
        guard let step = SignInSteps.step(try request.requiredParameter(FirstPartyParameter.step)) else {
            throw ProtocolFailure(.invalidRequest, "the step is unknown")
        }
        let allowed = Self.common.union(step.parameters)
        guard request.parameters.all.allSatisfy({ allowed.contains($0.name) }) else {
            throw ProtocolFailure(
                .invalidRequest,
                "an answer has auth_session, step and the parameters of that step, and nothing of another request"
            )
        }
        guard try request.parameter("response_type").map({ $0 == "code" }) ?? true else {
            throw ProtocolFailure(.invalidRequest, "the response_type is 'code'")
        }
        try step.check(request)
    }
}
