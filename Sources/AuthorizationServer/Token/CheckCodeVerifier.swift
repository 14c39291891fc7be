// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import PKCE
import ServerStorage

/// RFC 7636 section 4.6: the code verifier matches the challenge of the authorization request.
struct CheckCodeVerifier: Rule {
    let section = "RFC 7636 section 4.6"

    func check(_ request: CodeRequest, _ services: Services) throws(ProtocolFailure) {
        let challenge = request.code.codeChallenge
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
