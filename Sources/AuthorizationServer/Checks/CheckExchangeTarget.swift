// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore

/// RFC 8693 section 2.1: what is asked for is an access token, for the API that there is.
struct CheckExchangeTarget: Check {
    let section = "RFC 8693 section 2.1"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        if let type = try request.parameter("requested_token_type") {
            guard type == TokenTypeIdentifier.accessToken.rawValue else {
                throw ProtocolFailure(.invalidRequest, "the requested_token_type is not that of access tokens")
            }
        }
        for name in ["audience", "resource"] {
            guard let target = try request.parameter(name) else { continue }
            guard target.isIdentical(to: services.configuration.audience) else {
                throw ProtocolFailure(.invalidTarget, "tokens for this \(name) are not given out")
            }
        }
    }
}
