// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A request whose client is known: named in the browser, or authenticated where it asks itself.
///
/// A class: a client has thirty members, and every later stage holds it.
final class ClientRequest: ClientStage {
    let form: FormRequest
    let client: RegisteredClient
    /// What the client authenticated with, to be remembered.
    let assertion: VerifiedClientAssertion?

    var clientRequest: ClientRequest { self }

    init(_ form: FormRequest, _ client: RegisteredClient, assertion: VerifiedClientAssertion? = nil) {
        (self.form, self.client, self.assertion) = (form, client, assertion)
    }
}
