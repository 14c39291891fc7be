// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

extension ServerConfiguration {
    /// What is left of a scope and of authorization details after some of it was taken away from their client, or from the
    /// server (RFC 6749 section 6: the server may give less).
    ///
    /// - Parameters:
    ///   - scope: What was requested or granted before.
    ///   - details: The same of authorization details.
    ///   - client: The client as it is registered now.
    /// - Returns: What may still be given.
    /// - Throws: `invalid_scope` if nothing is left of the scope, or nothing of the details and there is no scope.
    func inForce(
        _ scope: Scope,
        _ details: [AuthorizationDetail],
        for client: RegisteredClient
    ) throws(ProtocolFailure) -> (scope: Scope, details: [AuthorizationDetail]) {
        let leftScope = scope.intersection(client.scope).intersection(existingScope)
        let leftDetails = self.details(details, allowedTo: client)
        let isEmpty = leftScope.isEmpty && (!scope.isEmpty || leftDetails.isEmpty && !details.isEmpty)
        guard !isEmpty else {
            throw ProtocolFailure(.invalidScope, "what was requested or granted is no longer given out")
        }
        return (leftScope, leftDetails)
    }

    /// The details whose types the server knows and the client is registered for (RFC 9396 section 5).
    func details(_ details: [AuthorizationDetail], allowedTo client: RegisteredClient) -> [AuthorizationDetail] {
        details.filter { detail in
            client.authorizationDetailTypes.contains { $0.isIdentical(to: detail.type) }
                && authorizationDetailType(detail.type) != nil
        }
    }
}
