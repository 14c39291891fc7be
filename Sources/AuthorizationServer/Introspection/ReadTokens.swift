// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// Reads the client, and the tokens in parameters of the request with their grants.
///
/// The tokens are not verified yet: a signed one tells only which grant to look up.
struct ReadTokens: Read {
    let section = "RFC 7009 section 2.1, RFC 7662 section 2.1, RFC 8693 section 2.1"
    /// The parameters, in the order of ``/ServerStorage/TokenReads/tokens``.
    let parameters: [String]

    func run(
        _ request: FormRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> PresentedRequest<TokenReads> {
        let tokens = parameters.map { name in
            (try? request.parameter(name)).flatMap { $0.map(TokenReference.init(presented:)) } ?? .none
        }
        return try await PresentedRequest(request, services) { storage, clientID in
            try await storage.reads(ofTokens: tokens, for: clientID, at: request.now)
        }
    }
}
