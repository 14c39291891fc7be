// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// OAuth 2.0 for First-Party Applications section 5.3: the answer is to a step that the session offered last.
struct CheckOfferedStep: Check {
    let section = "OAuth 2.0 for First-Party Applications section 5.3"

    func run(_ request: FirstPartyContinuation, _ services: Services) throws(ProtocolFailure) -> FirstPartyAnswer {
        let type = try request.requiredParameter(FirstPartyParameter.step)
        guard let step = SignInSteps.offered(in: request.session).first(where: { $0.type.rawValue == type }) else {
            throw ProtocolFailure(.invalidRequest, "this step is not offered now")
        }
        return FirstPartyAnswer(base: request, step: step)
    }
}
