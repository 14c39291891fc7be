// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// Parameters that would change the meaning of a request are refused, not ignored, while nothing supports them.
struct CheckUnsupportedParameters: Check {
    let section = "OpenID Connect Core section 6"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        guard try request.parameter("request") == nil else {
            throw ProtocolFailure(.requestNotSupported, "request objects are not supported")
        }
    }
}
