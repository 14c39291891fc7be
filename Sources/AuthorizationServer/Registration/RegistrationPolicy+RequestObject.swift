// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

extension RegistrationPolicy {
    /// A client that promises to sign its requests can do it here (RFC 9101 section 10.5).
    ///
    /// Otherwise it is rejected: if the promise were ignored, anybody could send an unsigned request in its name.
    func checkRequestKeys(of client: RegisteredClient, _ metadata: ClientMetadata) throws(ProtocolFailure) {
        guard client.requireSignedRequestObject || client.requestObjectSigningAlgorithm != nil else { return }
        guard metadata.jwksURI == nil || client.jwksURI != nil else {
            throw refusal("keys are fetched only for clients with private_key_jwt: send those for requests as jwks")
        }
        do {
            try configuration.requireRequestKey(of: client)
        } catch {
            throw refusal(error.reason)
        }
    }
}
