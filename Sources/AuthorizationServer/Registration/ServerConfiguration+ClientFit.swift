// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
package import ServerStorage

extension ServerConfiguration {
    /// Rejects a client whose requests this server would refuse with its current configuration.
    ///
    /// What the operator may configure later for the client, such as an attester, is not required yet.
    ///
    /// - Parameter client: A client that is about to be registered.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue``, with what to change.
    package func requireFit(of client: RegisteredClient) throws(AuthorizationServerError) {
        let methods = profile.clientAuthenticationMethods
        guard methods.contains(client.tokenEndpointAuthMethod) else {
            throw Self.refusal(
                "with its profile the server accepts only clients that authenticate by "
                    + "\(methods.map(\.rawValue).joined(separator: " or ")) (FAPI 2.0 section 5.3.2.1)"
            )
        }
        if client.tokenEndpointAuthMethod == .privateKeyJWT {
            try requireKey(
                of: client,
                clientAssertionAlgorithms,
                client.tokenEndpointAuthSigningAlgorithm,
                "assertions (RFC 7523 section 3)"
            )
        }
        if mustSignRequests(client) { try requireRequestKey(of: client) }
        for type in client.authorizationDetailTypes where authorizationDetailType(type) == nil {
            throw Self.refusal("the server has no type of authorization details '\(type)' (RFC 9396 section 5)")
        }
    }

    /// Rejects a client that could sign no request that this server accepts.
    func requireRequestKey(of client: RegisteredClient) throws(AuthorizationServerError) {
        try requireKey(
            of: client,
            requestObjectAlgorithms,
            client.requestObjectSigningAlgorithm,
            "signed requests (RFC 9101 section 6)"
        )
    }

    /// Whether the client must sign its authorization requests, or is registered with an algorithm to do so.
    private func mustSignRequests(_ client: RegisteredClient) -> Bool {
        guard client.grantTypes.contains(.authorizationCode) else { return false }
        return requireSignedRequestObject || client.requireSignedRequestObject
            || client.requestObjectSigningAlgorithm != nil
    }

    private func requireKey(
        of client: RegisteredClient,
        _ accepted: Set<SignatureAlgorithm>,
        _ registered: SignatureAlgorithm?,
        _ purpose: String
    ) throws(AuthorizationServerError) {
        let usable = registered.map { accepted.intersection([$0]) } ?? accepted
        // Keys at a jwks_uri are fetched only when there is a signature.
        let hasKey =
            client.jwksURI == nil
            ? client.jwks.keys.contains { key in usable.contains { key.fits($0) } }
            : !usable.isEmpty
        guard hasKey else {
            let known = accepted.map(\.rawValue).sorted().joined(separator: ", ")
            throw Self.refusal(
                "the client has no key (jwks) for \(purpose) with an algorithm that this server accepts: \(known)"
            )
        }
    }

    private static func refusal(_ reason: String) -> AuthorizationServerError {
        AuthorizationServerError(.invalidValue, reason)
    }
}
