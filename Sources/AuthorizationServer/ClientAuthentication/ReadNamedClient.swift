// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Reads the client that the browser names, and who is signed in there (RFC 6749 section 4.1.1); nothing if the request
/// contains a secret.
struct ReadNamedClient: Read {
    let section = "RFC 6749 section 4.1.1"

    func run(
        _ request: FormRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> Found<FormRequest, NamedClient> {
        guard let clientID = try? CheckClient.clientID(in: request) else { return Found(base: request, value: nil) }
        let documents = ClientDocuments(services: services)
        let client = try await documents.prepare(clientID, startsSignIn: true, at: request.now)
        // Before the reads, which are then not older than the response of somebody else's server.
        let keys = try await documents.fetchKeys(
            of: client,
            // If it occurs twice, the request is rejected later.
            forRequestObject: try? request.parameter("request"),
            at: request.now
        )
        let cookie = BrowserCookie(in: request.http, services)
        let reads = try await services.stored {
            try await $0.reads(ofClient: clientID, in: cookie?.hash, at: request.now)
        }
        return Found(
            base: request,
            value: reads.client.map { NamedClient(client: $0, browser: reads.browser, fetchedKeys: keys) }
        )
    }
}
