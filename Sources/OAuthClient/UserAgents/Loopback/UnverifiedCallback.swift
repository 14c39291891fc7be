// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import StrictJSON

/// The content of a response, unverified: enough to distinguish the expected response from others.
///
/// Only a party that saw the request knows its `state`, also in a signed response. Everything is verified later.
struct UnverifiedCallback {
    let state: String?

    init(_ parameters: FormParameters) {
        guard let token = try? parameters.value(for: "response") else {
            state = try? parameters.value(for: "state")
            return
        }
        let claims = try? CompactJWS(parsing: token).payloadObject()
        state = claims?["state"]?.stringValue
    }
}
