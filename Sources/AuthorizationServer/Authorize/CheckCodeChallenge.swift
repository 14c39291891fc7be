// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import PKCE

/// RFC 7636 sections 4.3 and 4.4.1: every request has a code challenge with the method S256.
struct CheckCodeChallenge: Check {
    let section = "RFC 7636 section 4.4.1"

    func run(_ request: RedirectRequest, _ services: Services) throws(ProtocolFailure) -> ChallengedRequest {
        let method = try request.parameter("code_challenge_method")
        guard let challenge = try request.parameter("code_challenge") else {
            throw ProtocolFailure(.invalidRequest, "PKCE is required: the code_challenge is missing")
        }
        do {
            return ChallengedRequest(
                base: request,
                codeChallenge: try CodeChallenge(parsing: challenge, method: method)
            )
        } catch  where error.code == .unsupportedMethod {
            throw ProtocolFailure(.invalidRequest, "PKCE is required with code_challenge_method=S256")
        } catch {
            throw ProtocolFailure(.invalidRequest, "the code_challenge is not 43 characters of base64url")
        }
    }
}
