// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A request, its credentials, and everything that is stored about it, before the client is authenticated.
struct PresentedRequest<Reads: ClientReads>: Sendable {
    let form: FormRequest
    /// The credentials that ``CheckClientAuthentication`` verifies, or the failure it rejects the request with.
    let credentials: Result<ClientCredentials, ProtocolFailure>
    /// What the checks look at, all of one moment; `nil` if the request names no client.
    let reads: Reads?

    init(form: FormRequest, credentials: Result<ClientCredentials, ProtocolFailure>, reads: Reads?) {
        (self.form, self.credentials, self.reads) = (form, credentials, reads)
    }

    /// Reads what the checks of a request look at; nothing for a request that names no client.
    init(
        _ form: FormRequest,
        _ services: Services,
        _ read: (any AuthorizationStorage, _ clientID: String) async throws -> Reads
    ) async throws(ProtocolFailure) {
        self.form = form
        credentials = Result { () throws(ProtocolFailure) in try ClientCredentials(form) }
        guard let clientID = try? credentials.get().clientID else {
            reads = nil
            return
        }
        try await ClientDocuments(services: services).prepare(
            clientID,
            startsSignIn: form.received.address.path == services.addresses.pushedAuthorization.path,
            at: form.now
        )
        reads = try await services.stored { try await read($0, clientID) }
    }
}
