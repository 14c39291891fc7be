// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore
import ServerStorage

/// OAuth 2.0 for First-Party Applications sections 5.3.1 and 6.1: an `auth_session` in a first request is that of a
/// finished sign-in of this client and key.
struct CheckEarlierSession<Stage: ProvenStage>: Rule {
    let section = "OAuth 2.0 for First-Party Applications section 5.3.1"

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure) {
        let session = request.clientRequest.signIn.session
        guard let text = try request.parameter(FirstPartyParameter.authSession) else {
            // Sent next to a request object, whose parameters alone count (RFC 9101 section 6.3).
            guard session == nil else { throw .sessionRejected("outside the request object") }
            return
        }
        guard let value = AuthSession(text), let session else { throw .sessionRejected("unknown") }
        if let problem = session.problem(
            with: value,
            of: request.client,
            by: request.proof?.thumbprint,
            at: request.now
        ) {
            throw .sessionRejected(problem)
        }
        guard session.isFinished else { throw .sessionRejected("open") }
    }
}
