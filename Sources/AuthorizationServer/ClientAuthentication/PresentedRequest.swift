// SPDX-License-Identifier: Apache-2.0

import JOSE
import ServerStorage

/// A request, its credentials, and everything that is stored about it, before the client is authenticated.
struct PresentedRequest<Reads: ClientReads>: Sendable {
    let form: FormRequest
    /// The credentials that ``CheckClientAuthentication`` verifies, or the failure it rejects the request with.
    let credentials: Result<ClientCredentials, ProtocolFailure>
    /// What the checks look at, all of one moment; `nil` if the request names no client.
    let reads: Reads?
    /// The keys of a client whose metadata document says where they are.
    private let fetchedKeys: FetchedClientKeys?

    init(form: FormRequest, credentials: Result<ClientCredentials, ProtocolFailure>, reads: Reads?) {
        (self.form, self.credentials, self.reads) = (form, credentials, reads)
        fetchedKeys = nil
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
            fetchedKeys = nil
            return
        }
        let documents = ClientDocuments(services: services)
        let isPushed = form.received.address.path == services.addresses.pushedAuthorization.path
        let client = try await documents.prepare(clientID, startsSignIn: isPushed, at: form.now)
        // Elsewhere it has no meaning; if it occurs twice, the request is rejected later.
        let requestObject = isPushed ? (try? form.parameter("request")) : nil
        // Before the reads, which are then not older than the response of somebody else's server.
        fetchedKeys = try await documents.fetchKeys(
            of: client,
            for: try credentials.get(),
            requestObject: requestObject,
            at: form.now
        )
        reads = try await services.stored { try await read($0, clientID) }
    }

    /// The keys for what the client signed: those that are registered, or those at its `jwks_uri`.
    func keys(of client: RegisteredClient) -> JWKSet { client.keys(fetched: fetchedKeys) }
}
