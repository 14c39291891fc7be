// SPDX-License-Identifier: Apache-2.0

public import ServerStorage

/// What ``ServerAdministration/changeClient(_:dryRun:_:)`` changed.
public struct ClientChange: Sendable {
    /// The client as it was.
    public let before: RegisteredClient
    /// The client as it is now.
    public let after: RegisteredClient
    /// The names of the members that differ, as RFC 7591 section 2 has them, sorted.
    public let changed: [String]

    /// Compares a client before and after a change.
    ///
    /// - Parameters:
    ///   - before: The client as it was.
    ///   - after: The client as it is to be.
    /// - Throws: ``AuthorizationServerError/Code/invalidValue`` if something differs that cannot be changed.
    init(from before: RegisteredClient, to after: RegisteredClient) throws(AuthorizationServerError) {
        var rest = after
        for member in Self.members { member.reset(&rest, before) }
        guard rest == before else {
            let fixed = Self.fixedMembers.filter { $0.differs(before, after) }.map(\.name)
            throw AuthorizationServerError(
                .invalidValue,
                fixed.isEmpty
                    ? "what the server itself records of a client, such as its secrets, is not changed in this way"
                    : "\(fixed.joined(separator: ", ")) of a registered client cannot be changed: remove the client and "
                        + "register it again"
            )
        }
        (self.before, self.after) = (before, after)
        changed = Self.members.filter { $0.differs(before, after) }.map(\.name).sorted()
    }

    private struct Member {
        let name: String
        let differs: @Sendable (RegisteredClient, RegisteredClient) -> Bool
        /// Gives the first client the value of the second.
        let reset: @Sendable (inout RegisteredClient, RegisteredClient) -> Void
    }

    private static func member<Value: Equatable & SendableMetatype>(
        _ name: String,
        _ path: any WritableKeyPath<RegisteredClient, Value> & Sendable
    ) -> Member {
        Member(
            name: name,
            differs: { $0[keyPath: path] != $1[keyPath: path] },
            reset: { $0[keyPath: path] = $1[keyPath: path] }
        )
    }

    private static let members: [Member] = [
        member("client_name", \.name),
        member("redirect_uris", \.redirectURIs),
        member("scope", \.scope),
        member("dpop_bound_access_tokens", \.dpopBoundAccessTokens),
        member("require_pushed_authorization_requests", \.requirePushedAuthorizationRequests),
        member("id_token_signed_response_alg", \.idTokenSignedResponseAlgorithm),
        member("post_logout_redirect_uris", \.postLogoutRedirectURIs),
        member("application_type", \.applicationType),
        member("allowed_web_origins", \.allowedWebOrigins),
        member("authorization_details_types", \.authorizationDetailTypes),
        member("request_object_signing_alg", \.requestObjectSigningAlgorithm),
        member("require_signed_request_object", \.requireSignedRequestObject),
        member("dpop_bound_authorization_codes", \.dpopBoundAuthorizationCodes),
        member("first_party", \.isFirstParty),
        member("dpop_nonce_policy", \.noncePolicy),
        member("jwks", \.jwks),
    ]

    /// What stays as it was registered, because tokens and consents were given for it.
    private static let fixedMembers: [Member] = [
        member("client_id", \.clientID),
        member("grant_types", \.grantTypes),
        member("token_endpoint_auth_method", \.tokenEndpointAuthMethod),
        member("token_endpoint_auth_signing_alg", \.tokenEndpointAuthSigningAlgorithm),
        member("jwks_uri", \.jwksURI),
        member("introspection_audiences", \.introspectionAudiences),
        member("token_exchange_rights", \.tokenExchangeRights),
    ]
}
