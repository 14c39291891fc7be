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

    /// Who is signed in in the browser that sent the request; nobody if the client sent it itself.
    let browser: SessionReads

    var clientRequest: ClientRequest { self }

    init(
        _ form: FormRequest,
        _ client: RegisteredClient,
        assertion: VerifiedClientAssertion? = nil,
        from browser: SessionReads = SessionReads()
    ) {
        (self.form, self.client, self.assertion, self.browser) = (form, client, assertion, browser)
    }

    /// The same request with other parameters, those of its request object.
    func replacing(_ form: FormRequest) -> ClientRequest {
        ClientRequest(form, client, assertion: assertion, from: browser)
    }
}
