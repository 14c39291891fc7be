// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A request, how its client shows who it is, and the client that it names; nothing of it is believed yet.
struct PresentedClientRequest: Sendable {
    let form: FormRequest
    /// What ``CheckClientAuthentication`` looks at, or rejects the request for.
    let credentials: Result<ClientCredentials, ProtocolFailure>
    /// The registered client of that name.
    let client: RegisteredClient?
}
