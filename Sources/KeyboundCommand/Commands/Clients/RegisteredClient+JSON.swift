// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

extension RegisteredClient {
    /// The client with the member names of RFC 7591; the secret only if it was just created.
    func json(showing secret: ClientSecret? = nil) -> JSONValue {
        var object: JSONObject = [
            "client_id": .string(clientID), "client_name": .string(name), "redirect_uris": .strings(redirectURIs),
            "scope": .string(scope.description), "dpop_bound_access_tokens": .bool(dpopBoundAccessTokens),
            "require_pushed_authorization_requests": .bool(requirePushedAuthorizationRequests),
            "token_endpoint_auth_method": .string(tokenEndpointAuthMethod.rawValue),
            "grant_types": .strings(grantTypes.map(\.rawValue)),
        ]
        object["token_endpoint_auth_signing_alg"] = tokenEndpointAuthSigningAlgorithm.map { .string($0.rawValue) }
        object["client_secret"] = secret.map { .string($0.value) }
        object["id_token_signed_response_alg"] = idTokenSignedResponseAlgorithm.map { .string($0.rawValue) }
        if !postLogoutRedirectURIs.isEmpty { object["post_logout_redirect_uris"] = .strings(postLogoutRedirectURIs) }
        if !jwks.keys.isEmpty { object["jwks"] = .object(jwks.json) }
        object["jwks_uri"] = jwksURI.map { .string($0) }
        if !introspectionAudiences.isEmpty { object["introspection_audiences"] = .strings(introspectionAudiences) }
        if !tokenExchangeRights.isEmpty {
            object["token_exchange_rights"] = .strings(tokenExchangeRights.map(\.rawValue))
        }
        object["application_type"] = applicationType.map { .string($0.rawValue) }
        if !allowedWebOrigins.isEmpty { object["allowed_web_origins"] = .strings(allowedWebOrigins) }
        object["client_id_issued_at"] = .number(JSONNumber(createdAt.secondsSince1970))
        object["expires_at"] = expiresAt.map { .number(JSONNumber($0.secondsSince1970)) }
        object["document_expires_at"] = documentExpiresAt.map { .number(JSONNumber($0.secondsSince1970)) }
        object["registered_by"] = .string(origin.rawValue)
        addRequests(to: &object)
        return .object(object)
    }

    /// Its request requirements where they differ from the defaults.
    private func addRequests(to object: inout JSONObject) {
        if !authorizationDetailTypes.isEmpty {
            object["authorization_details_types"] = .strings(authorizationDetailTypes)
        }
        if requireSignedRequestObject { object["require_signed_request_object"] = true }
        object["request_object_signing_alg"] = requestObjectSigningAlgorithm.map { .string($0.rawValue) }
        if dpopBoundAuthorizationCodes { object["dpop_bound_authorization_codes"] = true }
        if isFirstParty { object["first_party"] = true }
        object["dpop_nonce_policy"] = noncePolicy.map { .string($0.rawValue) }
    }
}
#endif
