// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE

/// What an answer says about itself, unverified: enough to tell the one that is waited for from what others send.
///
/// Only whoever saw the request knows its `state`, in a signed answer too; whether anything in it is true is checked later.
struct AnswerGlimpse {
    let state: String?
    let isError: Bool

    init(_ parameters: FormParameters) {
        guard let token = try? parameters.value(for: "response") else {
            state = try? parameters.value(for: "state")
            isError = !parameters.values(for: "error").isEmpty
            return
        }
        let claims = try? CompactJWS(parsing: token).payloadObject()
        state = claims?["state"]?.stringValue
        isError = claims?["error"] != nil
    }
}
