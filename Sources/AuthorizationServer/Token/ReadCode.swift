// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Reads the client, the code and its grant (RFC 6749 section 4.1.3).
struct ReadCode: Read {
    let section = "RFC 6749 section 4.1.3"

    func run(_ request: FormRequest, _ services: Services) async throws(ProtocolFailure) -> PresentedRequest<CodeReads>
    {
        let code = request.secret(in: "code", as: .code)
        return try await PresentedRequest(request, services) { storage, clientID in
            try await storage.reads(ofCode: code, for: clientID)
        }
    }
}
