// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import PKCE
import ServerStorage

/// RFC 7636 section 4.6: the code verifier belongs to the challenge of the authorization request.
struct CheckCodeVerifier: Check {
    let section = "RFC 7636 section 4.6"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        let challenge = try request.established(request.code).codeChallenge
        let text = try request.requiredParameter("code_verifier")
        do {
            try challenge.verify(CodeVerifier(text))
        } catch  where error.code == .malformedVerifier {
            throw ProtocolFailure(.invalidGrant, "the code_verifier is not 43 to 128 unreserved characters")
        } catch {
            throw ProtocolFailure(.invalidGrant, "the code_verifier does not belong to the code_challenge")
        }
    }
}
