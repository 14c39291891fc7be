// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 9470 section 5: at least one of the `acr_values` is an authentication context that this server supports.
///
/// Whether the user has authenticated that way is checked later, in the browser.
struct CheckACRValues: Check {
    let section = "RFC 9470 section 5"

    func run(
        _ request: consuming DraftAuthorizationRequest,
        _ services: Services
    ) throws(ProtocolFailure) -> DraftAuthorizationRequest {
        guard let text = try request.parameter("acr_values") else { return request }
        guard text.utf8.count <= 1024 else {
            throw ProtocolFailure(.invalidRequest, "the acr_values are longer than 1024 bytes")
        }
        let known = services.configuration.authenticationContexts
        let wanted = text.split(separator: " ").map(String.init)
            .filter { value in known.contains { $0.isIdentical(to: value) } }
        guard !wanted.isEmpty else {
            throw ProtocolFailure(
                .unmetAuthenticationRequirements,
                "none of the acr_values is a way to sign in at this server"
            )
        }
        request.authorization.authentication.contexts = wanted
        return request
    }
}
