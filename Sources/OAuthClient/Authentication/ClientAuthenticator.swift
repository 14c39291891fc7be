// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import OAuthCore
import OAuthSystem
import StrictJSON

/// Adds client authentication to a request, each time it is sent.
struct ClientAuthenticator: Sendable {
    let clientID: String
    let audience: String
    let authentication: ClientAuthentication
    /// Keeps attestations; `nil` for a client that is not attested.
    let attestations: AttestationCache?
    let clock: any WallClock
    let entropy: any Entropy

    /// Whether the request contains the time, so that a retry with a corrected clock can help.
    var tellsTime: Bool {
        switch authentication.credential {
        case .sharedKey, .privateKey: true
        default: false
        }
    }

    /// A request that posts a form to an endpoint, with client authentication; `context` has the key of its proof.
    func request(
        _ form: FormParameters,
        to endpoint: URI,
        provingWith context: DPoPContext?
    ) async throws(OAuthClientError) -> HTTPRequest {
        var form = form
        var fields: HTTPFields = [
            "Content-Type": FormParameters.mediaType, "Accept": "application/json",
        ]
        switch authentication.credential {
        case .nothing, .certificate: nameClient(&form)
        case .secretInField(let secret):
            fields["Authorization"] = Self.basicCredentials(clientID, secret)
        case .secretInForm(let secret):
            nameClient(&form)
            form.append("client_secret", secret.value)
        case .sharedKey(let key):
            attach(assertion().authenticated(with: key), to: &form)
        case .privateKey(let key, let keyID):
            attach(try await assertion().signed(with: key, keyID: keyID), to: &form)
        case .attestation:
            nameClient(&form)
            fields[ClientAttestationField.attestation] = try await attestation(context)
        }
        return HTTPRequest(
            method: "POST",
            target: endpoint.description,
            fields: fields,
            body: form.encodedBytes()
        )
    }

    private func attestation(_ context: DPoPContext?) async throws(OAuthClientError) -> String? {
        guard let context else {
            throw OAuthClientError(.keyUnavailable, "a client that is attested needs a key for each request")
        }
        return try await attestations?.attestation(of: context.key)
    }

    private func assertion() -> ClientAssertion {
        ClientAssertion(clientID: clientID, audience: audience, now: clock.now(), entropy: entropy)
    }

    private func attach(_ assertion: String, to form: inout FormParameters) {
        nameClient(&form)
        form.append("client_assertion_type", ClientAssertion.type)
        form.append("client_assertion", assertion)
    }

    /// A pushed authorization request already has `client_id`.
    private func nameClient(_ form: inout FormParameters) {
        if form.values(for: "client_id").isEmpty { form.append("client_id", clientID) }
    }

    /// RFC 6749 section 2.3.1: both are form-encoded first; otherwise a colon in either of them would be ambiguous.
    private static func basicCredentials(_ clientID: String, _ secret: ClientSecret) -> String {
        let pair = "\(FormParameters.encode(clientID)):\(FormParameters.encode(secret.value))"
        return "Basic \(Base64.encode(Array(pair.utf8)))"
    }
}
