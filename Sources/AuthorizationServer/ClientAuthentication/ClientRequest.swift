// SPDX-License-Identifier: Apache-2.0

import JOSE
import ServerStorage

/// A request with a known client: named by the browser, or authenticated where the client calls directly.
///
/// A class: a client has thirty members, and every later stage contains it.
final class ClientRequest: ClientStage {
    let form: FormRequest
    let client: RegisteredClient
    /// The keys for what the client signs.
    let keys: JWKSet
    /// The assertion to record, if the client authenticated with one.
    let assertion: SingleUseJWT?
    /// What an attester says about the client's key, if the client authenticated so.
    let attestation: ClientAttestation?
    /// The request object to record, if the client signed the authorization request and gave it a `jti`.
    let requestObject: SingleUseJWT?
    /// The user of the browser that sent the request; no user if the client sent it itself.
    let browser: SessionReads
    /// What was read for a sign-in without a browser; nothing for any other request.
    let signIn: FirstPartyReads

    var clientRequest: ClientRequest { self }

    init(
        _ form: FormRequest,
        _ client: RegisteredClient,
        keys: JWKSet,
        assertion: SingleUseJWT? = nil,
        attestation: ClientAttestation? = nil,
        requestObject: SingleUseJWT? = nil,
        from browser: SessionReads = SessionReads(),
        signIn: FirstPartyReads = FirstPartyReads()
    ) {
        (self.form, self.client, self.keys, self.browser, self.signIn) = (form, client, keys, browser, signIn)
        (self.assertion, self.attestation, self.requestObject) = (assertion, attestation, requestObject)
    }

    /// The same request with other parameters, those of its request object.
    func replacing(_ form: FormRequest, by requestObject: SingleUseJWT?) -> ClientRequest {
        ClientRequest(
            form,
            client,
            keys: keys,
            assertion: assertion,
            attestation: attestation,
            requestObject: requestObject,
            from: browser,
            signIn: signIn
        )
    }

    /// The same request with what was read for a sign-in without a browser.
    func signingIn(with signIn: FirstPartyReads) -> ClientRequest {
        ClientRequest(
            form,
            client,
            keys: keys,
            assertion: assertion,
            attestation: attestation,
            requestObject: requestObject,
            from: browser,
            signIn: signIn
        )
    }
}
