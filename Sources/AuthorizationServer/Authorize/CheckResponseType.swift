// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// RFC 9700 section 2.1.2: only codes are issued here; tokens are never sent through a browser.
struct CheckResponseType<Stage: FormStage>: Rule {
    let section = "RFC 9700 section 2.1.2"

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure) {
        guard try request.requiredParameter("response_type") == "code" else {
            throw ProtocolFailure(.unsupportedResponseType, "the response_type must be 'code'")
        }
    }
}
