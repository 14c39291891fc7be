// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Reads the client that a request names (RFC 6749 section 2.3).
struct ReadClient: Read {
    let section = "RFC 6749 section 2.3"

    func run(_ request: FormRequest, _ services: Services) async throws(ProtocolFailure) -> PresentedClientRequest {
        let credentials = Result { () throws(ProtocolFailure) in try ClientCredentials(request) }
        guard let clientID = try? credentials.get().clientID else {
            return PresentedClientRequest(form: request, credentials: credentials, client: nil)
        }
        let client = try await services.stored { try await $0.client(clientID) }
        return PresentedClientRequest(form: request, credentials: credentials, client: client)
    }
}
