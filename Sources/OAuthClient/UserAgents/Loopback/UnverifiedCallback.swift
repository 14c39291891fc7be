// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import StrictJSON

/// The content of a response, unverified: enough to distinguish the expected response from others.
///
/// Only a party that saw the request knows its `state`, also in a signed response. Everything is verified later.
struct UnverifiedCallback {
    let state: String?
    /// The outcome for the page: only a successful sign-in has a code.
    let outcome: LoopbackPage.Outcome

    init(_ parameters: FormParameters) {
        guard let token = try? parameters.value(for: "response") else {
            state = try? parameters.value(for: "state")
            outcome = Self.outcome { !parameters.values(for: $0).isEmpty }
            return
        }
        let claims = try? CompactJWS(parsing: token).payloadObject()
        state = claims?["state"]?.stringValue
        outcome = Self.outcome { claims?[$0] != nil }
    }

    private static func outcome(_ has: (_ name: String) -> Bool) -> LoopbackPage.Outcome {
        if has("error") { return .refused }
        return has("code") ? .signedIn : .signedOut
    }
}
