// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// OpenID Connect Core section 3.1.2.1: every value of `prompt` is known, and `none` stands alone.
struct CheckPrompt: Check {
    let section = "OpenID Connect Core section 3.1.2.1"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        guard let text = try request.parameter("prompt") else { return }
        guard let prompts = AuthenticationRequest.prompts(parsing: text) else {
            throw ProtocolFailure(
                .invalidRequest,
                "the prompt is not 'none', or some of login, consent, select_account"
            )
        }
        request.authentication.prompts = prompts
    }
}
