// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Reads the client that the browser names (RFC 6749 section 4.1.1); none if the request contains a secret.
struct ReadNamedClient: Read {
    let section = "RFC 6749 section 4.1.1"

    func run(
        _ request: FormRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> Found<FormRequest, RegisteredClient> {
        guard let clientID = try? CheckClient.clientID(in: request) else { return Found(base: request, value: nil) }
        return Found(base: request, value: try await services.stored { try await $0.client(clientID) })
    }
}
