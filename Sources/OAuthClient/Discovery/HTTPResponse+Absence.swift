// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

extension HTTPResponse {
    /// Whether this response from a well-known address means that there is no document.
    ///
    /// That is 404, and the status codes of servers that require a login, or forbid access, where nothing exists. An
    /// overloaded server responds with 408 or 429, and should be asked again.
    var meansNoDocument: Bool {
        (400..<500).contains(status) && status != 408 && status != 429
    }
}
