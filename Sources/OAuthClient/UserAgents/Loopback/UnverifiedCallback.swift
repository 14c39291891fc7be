// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import StrictJSON

/// What an answer says about itself, unverified: enough to tell the one that is waited for from what others send.
///
/// Only whoever saw the request knows its `state`, in a signed answer too; whether anything in it is true is checked later.
struct UnverifiedCallback {
    let state: String?
    /// What the page says: only a sign-in brings a code.
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
