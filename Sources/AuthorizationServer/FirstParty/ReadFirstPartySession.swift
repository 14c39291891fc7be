// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import ServerStorage

/// Reads the session that a request names, its client, and the account with the typed name (OAuth 2.0 for First-Party
/// Applications section 5.3.1).
struct ReadFirstPartySession: Read {
    let section = "OAuth 2.0 for First-Party Applications section 5.3.1"

    func run(
        _ request: FormRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> PresentedRequest<FirstPartyReads> {
        let session = request.parameters.values(for: FirstPartyParameter.authSession).first.flatMap { AuthSession($0) }
        let typed = request.parameters.values(for: FirstPartyParameter.username).first ?? ""
        return try await PresentedRequest(request, continuing: session, services) { storage, clientID in
            try await storage.reads(
                ofFirstPartySession: session?.sessionID,
                for: clientID,
                userNamed: Username.acceptable(typed),
                at: request.now
            )
        }
    }
}

extension FirstPartyReads: ClientReads {
    func authenticated(_ request: ClientRequest) -> ClientRequest {
        request.signingIn(with: self)
    }
}
