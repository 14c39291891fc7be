// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A request, its credentials, and the client that it names, before authentication.
struct PresentedClientRequest: Sendable {
    let form: FormRequest
    /// The credentials that ``CheckClientAuthentication`` verifies, or the failure it rejects the request with.
    let credentials: Result<ClientCredentials, ProtocolFailure>
    /// The registered client with that `client_id`.
    let client: RegisteredClient?
}
