// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// A client in the file of `keybound client apply`, with the members that `keybound client show --json` prints.
///
/// What is left out is as `keybound client add` has it without options, except that the scope is empty.
struct ClientFileEntry: Sendable {
    /// The client as it would be registered, without a secret.
    let client: RegisteredClient

    /// What the file may contain.
    private static let members = [
        "client_id", "client_name", "redirect_uris", "scope", "dpop_bound_access_tokens",
        "require_pushed_authorization_requests", "token_endpoint_auth_method", "token_endpoint_auth_signing_alg",
        "grant_types", "id_token_signed_response_alg", "post_logout_redirect_uris", "jwks", "introspection_audiences",
        "token_exchange_rights", "application_type", "allowed_web_origins", "authorization_details_types",
        "require_signed_request_object", "request_object_signing_alg", "dpop_bound_authorization_codes", "first_party",
        "dpop_nonce_policy",
    ]
    /// What `client show --json` also prints, and nobody chooses.
    private static let recorded = ["client_id_issued_at", "registered_by"]

    /// Reads a client.
    ///
    /// - Parameters:
    ///   - object: The client in the file.
    ///   - now: The time of its registration, if it is new.
    /// - Throws: ``CommandFailure`` with ``ExitCode/usage``.
    init(_ object: JSONObject, at now: Timestamp) throws {
        try Self.checkNames(of: object)
        let members = ClientMembers(object)
        guard let clientID = try members.text("client_id") else {
            throw CommandFailure.usage("'client_id' is missing", hint: "each client in the file needs one")
        }
        let audiences = try members.texts("introspection_audiences") ?? []
        let grantTypes = try members.texts("grant_types")?.map { GrantType(rawValue: $0) }
        var client = RegisteredClient(
            clientID: clientID,
            name: try members.text("client_name") ?? clientID,
            redirectURIs: try members.texts("redirect_uris") ?? [],
            scope: try Self.scope(members),
            dpopBoundAccessTokens: try members.flag("dpop_bound_access_tokens", standard: true),
            requirePushedAuthorizationRequests: try members.flag(
                "require_pushed_authorization_requests",
                standard: false
            ),
            idTokenSignedResponseAlgorithm: try members.algorithm("id_token_signed_response_alg"),
            postLogoutRedirectURIs: try members.texts("post_logout_redirect_uris") ?? [],
            tokenEndpointAuthMethod: ClientAuthenticationMethod(
                rawValue: try members.text("token_endpoint_auth_method") ?? ClientAuthenticationMethod.none.rawValue
            ),
            tokenEndpointAuthSigningAlgorithm: try members.algorithm("token_endpoint_auth_signing_alg"),
            jwks: try members.keys("jwks"),
            grantTypes: grantTypes ?? (audiences.isEmpty ? [.authorizationCode, .refreshToken] : []),
            introspectionAudiences: audiences,
            tokenExchangeRights: try (members.texts("token_exchange_rights") ?? [])
                .map { TokenExchangePolicy(rawValue: $0) },
            createdAt: now
        )
        try Self.readRequests(members, into: &client)
        try Self.checkAlgorithms(of: client)
        self.client = client
    }

    /// Gives a registered client what the file says; what the server records of it, such as its secrets, stays.
    func apply(to client: inout RegisteredClient) {
        var changed = self.client
        // Their order has no meaning, and they cannot be changed.
        if Set(changed.grantTypes) == Set(client.grantTypes) { changed.grantTypes = client.grantTypes }
        if Set(changed.introspectionAudiences) == Set(client.introspectionAudiences) {
            changed.introspectionAudiences = client.introspectionAudiences
        }
        if Set(changed.tokenExchangeRights) == Set(client.tokenExchangeRights) {
            changed.tokenExchangeRights = client.tokenExchangeRights
        }
        changed.secretHashes = client.secretHashes
        changed.origin = client.origin
        changed.expiresAt = client.expiresAt
        changed.documentExpiresAt = client.documentExpiresAt
        changed.changedBy = client.changedBy
        changed.createdAt = client.createdAt
        changed.registrationID = client.registrationID
        changed.ownGrantRevocations = client.ownGrantRevocations
        client = changed
    }

    /// Rejects what is no member of a client, and clients that are none of an operator.
    private static func checkNames(of object: JSONObject) throws {
        if let origin = object["registered_by"], origin.stringValue != ClientOrigin.registeredByOperator.rawValue {
            throw CommandFailure.usage(
                "'registered_by' is not operator",
                hint: "leave out clients that registered themselves or have a metadata document"
            )
        }
        guard object["client_secret"] == nil else {
            throw CommandFailure.usage(
                "'client_secret' does not belong in the file",
                hint: "a new client gets a secret, which is printed once; keybound client secret new makes another one"
            )
        }
        for member in object.members where !(members + recorded).contains(member.name) {
            let guess = NearestWord.to(member.name, among: members).map { "did you mean '\($0)'?" }
            throw CommandFailure.usage(
                "'\(SafeText.of(member.name))' is not a member of a client",
                hint: guess ?? "keybound client show --json prints those that there are"
            )
        }
    }

    private static func scope(_ members: ClientMembers) throws -> Scope {
        do {
            return try Scope(parsing: try members.text("scope") ?? "")
        } catch let error as OAuthCoreError {
            throw CommandFailure.usage("'scope': \(error.reason)")
        }
    }

    private static func readRequests(_ members: ClientMembers, into client: inout RegisteredClient) throws {
        client.authorizationDetailTypes = try members.texts("authorization_details_types") ?? []
        client.allowedWebOrigins = try members.texts("allowed_web_origins") ?? []
        client.requireSignedRequestObject = try members.flag("require_signed_request_object", standard: false)
        client.requestObjectSigningAlgorithm = try members.algorithm("request_object_signing_alg")
        client.isFirstParty = try members.flag("first_party", standard: false)
        // What such an app needs in any case.
        client.dpopBoundAuthorizationCodes = try members.flag(
            "dpop_bound_authorization_codes",
            standard: client.isFirstParty
        )
        if let text = try members.text("application_type") {
            guard let type = ApplicationType(rawValue: text) else {
                throw CommandFailure.usage("'application_type' is neither web nor native")
            }
            client.applicationType = type
        }
        if let text = try members.text("dpop_nonce_policy") {
            let known: [DPoPNoncePolicy] = [.required, .onSkew, .off]
            guard let policy = known.first(where: { $0.rawValue == text }) else {
                throw CommandFailure.usage("'dpop_nonce_policy' must be required, on-skew or off")
            }
            client.noncePolicy = policy
        }
    }

    private static func checkAlgorithms(of client: RegisteredClient) throws {
        if let algorithm = client.idTokenSignedResponseAlgorithm, !ServerKeys.idTokenAlgorithms.contains(algorithm) {
            throw CommandFailure.usage("'id_token_signed_response_alg' is neither RS256 nor ES256")
        }
        guard client.tokenEndpointAuthSigningAlgorithm == nil || client.tokenEndpointAuthMethod == .privateKeyJWT else {
            throw CommandFailure.usage(
                "'token_endpoint_auth_signing_alg' is for clients whose 'token_endpoint_auth_method' is private_key_jwt"
            )
        }
    }
}
#endif
