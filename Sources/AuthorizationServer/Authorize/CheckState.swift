// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// RFC 6749 section 4.1.1: `state` is returned unchanged; its length is limited, since it is stored.
struct CheckState<Stage: FormStage>: Rule {
    let section = "RFC 6749 section 4.1.1"

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure) {
        guard try request.parameter("state")?.utf8.count ?? 0 <= 2048 else {
            throw ProtocolFailure(.invalidRequest, "the state is longer than 2048 bytes")
        }
    }
}
