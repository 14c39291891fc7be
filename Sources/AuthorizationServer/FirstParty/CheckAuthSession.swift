// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore
import ServerStorage

/// OAuth 2.0 for First-Party Applications sections 5.3.1 and 9.6.1: the session is open, has this value, and is of this
/// client and key.
struct CheckAuthSession: Check {
    let section = "OAuth 2.0 for First-Party Applications section 5.3.1"

    func run(
        _ request: ProvenRequest<ClientRequest>,
        _ services: Services
    ) throws(ProtocolFailure) -> FirstPartyContinuation {
        let text = try request.requiredParameter(FirstPartyParameter.authSession)
        guard let value = AuthSession(text), let session = request.base.signIn.session else {
            throw .sessionRejected("unknown")
        }
        if let problem = session.problem(
            with: value,
            of: request.client,
            by: request.proof?.thumbprint,
            at: request.now
        ) {
            throw .sessionRejected(problem)
        }
        guard !session.isFinished else { throw .sessionRejected("finished") }
        return FirstPartyContinuation(base: request, session: session)
    }
}
