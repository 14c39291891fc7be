// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A request with a known client: named by the browser, or authenticated where the client calls directly.
///
/// A class: a client has thirty members, and every later stage contains it.
final class ClientRequest: ClientStage {
    let form: FormRequest
    let client: RegisteredClient
    /// The assertion to record, if the client authenticated with one.
    let assertion: VerifiedClientAssertion?

    var clientRequest: ClientRequest { self }

    init(_ form: FormRequest, _ client: RegisteredClient, assertion: VerifiedClientAssertion? = nil) {
        (self.form, self.client, self.assertion) = (form, client, assertion)
    }
}
