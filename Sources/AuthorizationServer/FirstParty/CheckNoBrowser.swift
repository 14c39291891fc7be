// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// OAuth 2.0 for First-Party Applications section 9.8: the endpoint is not for pages; every browser sends `Origin` with a
/// POST request.
struct CheckNoBrowser: Rule {
    let section = "OAuth 2.0 for First-Party Applications section 9.8"

    func check(_ request: FormRequest, _ services: Services) throws(ProtocolFailure) {
        guard request.http.fields.values(for: "Origin").isEmpty else {
            throw ProtocolFailure(.accessDenied, "browsers sign in at the authorization endpoint", status: 403)
        }
    }
}
