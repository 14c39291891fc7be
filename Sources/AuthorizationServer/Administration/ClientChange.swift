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

    init(from before: RegisteredClient, to after: RegisteredClient) {
        (self.before, self.after) = (before, after)
        changed = Self.members.filter { $0.differs(before, after) }.map(\.name).sorted()
    }

    private struct Member {
        let name: String
        let differs: @Sendable (RegisteredClient, RegisteredClient) -> Bool
    }

    private static func member<Value: Equatable & SendableMetatype>(
        _ name: String,
        _ value: @escaping @Sendable (RegisteredClient) -> Value
    ) -> Member {
        Member(name: name) { value($0) != value($1) }
    }

    private static let members: [Member] = [
        member("client_name") { $0.name },
        member("redirect_uris") { $0.redirectURIs },
        member("scope") { $0.scope },
        member("dpop_bound_access_tokens") { $0.dpopBoundAccessTokens },
        member("require_pushed_authorization_requests") { $0.requirePushedAuthorizationRequests },
        member("id_token_signed_response_alg") { $0.idTokenSignedResponseAlgorithm },
        member("post_logout_redirect_uris") { $0.postLogoutRedirectURIs },
        member("application_type") { $0.applicationType },
        member("allowed_web_origins") { $0.allowedWebOrigins },
        member("authorization_details_types") { $0.authorizationDetailTypes },
        member("request_object_signing_alg") { $0.requestObjectSigningAlgorithm },
        member("require_signed_request_object") { $0.requireSignedRequestObject },
        member("dpop_bound_authorization_codes") { $0.dpopBoundAuthorizationCodes },
        member("first_party") { $0.isFirstParty },
        member("dpop_nonce_policy") { $0.noncePolicy },
        member("jwks") { $0.jwks },
    ]
}
