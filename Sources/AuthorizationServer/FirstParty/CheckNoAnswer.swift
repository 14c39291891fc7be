// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// OAuth 2.0 for First-Party Applications section 5.3: an answer belongs to a session, so a first request has none.
struct CheckNoAnswer: Rule {
    let section = "OAuth 2.0 for First-Party Applications section 5.3"

    func check(_ request: FormRequest, _ services: Services) throws(ProtocolFailure) {
        let names = SignInSteps.all.reduce(into: [FirstPartyParameter.step]) { $0 += $1.parameters }
        guard names.allSatisfy({ request.parameters.values(for: $0).isEmpty }) else {
            throw ProtocolFailure(
                .invalidRequest,
                "a request with a code_challenge begins a sign-in: answer its step with the auth_session that it gets"
            )
        }
    }
}
