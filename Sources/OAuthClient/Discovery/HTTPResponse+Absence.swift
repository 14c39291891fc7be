// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

extension HTTPResponse {
    /// Whether this answer from a well-known address means that there is no document.
    ///
    /// That is 404, and what servers say that ask for a login, or refuse, where they have nothing. Those that are busy say 408 or
    /// 429, and are to be asked again.
    var meansNoDocument: Bool {
        (400..<500).contains(status) && status != 408 && status != 429
    }
}
