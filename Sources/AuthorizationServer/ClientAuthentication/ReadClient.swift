// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Reads the client that a request names (RFC 6749 section 2.3).
struct ReadClient: Read {
    let section = "RFC 6749 section 2.3"

    func run(
        _ request: FormRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> PresentedRequest<OnlyClientReads> {
        try await PresentedRequest(request, services) { storage, clientID in
            OnlyClientReads(client: try await storage.client(clientID))
        }
    }
}
