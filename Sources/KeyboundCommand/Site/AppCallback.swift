// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient

/// A redirect URI that a website associates with an app.
struct AppCallback {
    /// A query that a callback arrives with.
    struct Answer {
        /// A name for messages.
        let kind: String
        let text: String
    }

    let uri: URI

    init(_ text: String, _ policy: URLPolicy) throws(OAuthClientError) {
        uri = try policy.url(text, "the callback")
    }

    /// The queries that a callback is checked with: the responses of RFC 6749 sections 4.1.2 and 4.1.2.1 must both
    /// reach the app.
    static func answers(to callback: URI) -> [Answer] {
        let start = callback.query.map { $0.isEmpty ? "" : $0 + "&" } ?? ""
        return [
            Answer(kind: "a code", text: start + "code=kbc_4f2a&state=Zm9vYmFy"),
            Answer(kind: "an error", text: start + "error=access_denied&state=Zm9vYmFy"),
        ]
    }
}
