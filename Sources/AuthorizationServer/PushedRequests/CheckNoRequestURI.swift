// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// RFC 9126 section 2.1: a pushed request has no `request_uri`.
struct CheckNoRequestURI: Rule {
    let section = "RFC 9126 section 2.1"

    func check(_ request: FormRequest, _ services: Services) throws(ProtocolFailure) {
        guard request.parameters.values(for: "request_uri").isEmpty else {
            throw ProtocolFailure(.invalidRequest, "'request_uri' must not be pushed")
        }
    }
}
