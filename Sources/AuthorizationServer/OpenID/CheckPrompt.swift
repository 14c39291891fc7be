// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// OpenID Connect Core section 3.1.2.1: every value of `prompt` is known, and `none` is the only value.
struct CheckPrompt: Check {
    let section = "OpenID Connect Core section 3.1.2.1"

    func run(
        _ request: consuming DraftAuthorizationRequest,
        _ services: Services
    ) throws(ProtocolFailure) -> DraftAuthorizationRequest {
        guard let text = try request.parameter("prompt") else { return request }
        guard let prompts = AuthorizationRequest.Authentication.prompts(parsing: text) else {
            throw ProtocolFailure(
                .invalidRequest,
                "the prompt is not 'none', or some of login, consent, select_account"
            )
        }
        request.authorization.authentication.prompts = prompts
        return request
    }
}
