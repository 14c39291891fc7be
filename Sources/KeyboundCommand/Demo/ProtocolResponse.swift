// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import StrictJSON

/// The error code of a response, from the JSON of an authorization server or the challenge of an API.
struct ProtocolResponse {
    let status: Int
    let error: String?

    init(_ response: HTTPResponse) {
        status = response.status
        let challenges = (try? Challenge.parse(response.fields.values(for: "WWW-Authenticate"))) ?? []
        error =
            (try? JSONValue(parsing: response.body))?.objectValue?["error"]?.stringValue
            ?? challenges.lazy.compactMap { $0.value(for: "error") }.first
    }
}
