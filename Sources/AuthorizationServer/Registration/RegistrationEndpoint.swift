// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// The client registration endpoint, which requires an initial access token unless registration is open (RFC 7591
/// section 3).
struct RegistrationEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let received = ReceivedRequest(http, at: services.addresses.registration, now: services.clock.now())
        do throws(ProtocolFailure) {
            let request = try await CheckTable.registration.run(received, services)
            let (client, secret) = try withSecret(request.client)
            try await store(client, for: request)
            services.record(.clientRegistered, clientID: client.clientID)
            return .json(respond(client, secret), status: 201)
        } catch {
            return .failure(error)
        }
    }

    private func withSecret(
        _ client: RegisteredClient
    ) throws(ProtocolFailure) -> (RegisteredClient, ClientSecret?) {
        var client = client
        client.registrationID = services.tokens.random()
        let usesSecret = [.clientSecretBasic, .clientSecretPost].contains(client.tokenEndpointAuthMethod)
        let secret = usesSecret ? ClientSecret(SecretPrefix.clientSecret.rawValue + services.tokens.random()) : nil
        client.secretHashes = secret.map { [SecretHash(of: $0.value)] } ?? []
        do {
            try ClientRules.check(client)
        } catch {
            throw ProtocolFailure(.invalidClientMetadata, error.reason)
        }
        return (client, secret)
    }

    private func store(_ client: RegisteredClient, for request: ClientRegistrationRequest) async throws(ProtocolFailure)
    {
        let now = request.now
        guard let token = request.token else {
            guard try await services.stored({ try await $0.add(client) }) else {
                services.report("a random client_id was taken")
                throw .unavailable
            }
            return
        }
        switch try await services.stored({ try await $0.register(client, with: token, at: now) }) {
        case .registered: return
        case .refused: throw .registrationRejected
        case .taken:
            services.report("a random client_id was taken")
            throw .unavailable
        }
    }

    /// RFC 7591 section 3.2.1: all registered metadata, and the secret, which is shown only in this response.
    private func respond(_ client: RegisteredClient, _ secret: ClientSecret?) -> JSONObject {
        var object: JSONObject = [
            "client_id": .string(client.clientID),
            "client_id_issued_at": .number(JSONNumber(client.createdAt.secondsSince1970)),
            "client_name": .string(client.name),
            "redirect_uris": .strings(client.redirectURIs),
            "scope": .string(client.scope.description),
            "grant_types": .strings(client.grantTypes.map(\.rawValue)),
            "response_types": ["code"],
            "token_endpoint_auth_method": .string(client.tokenEndpointAuthMethod.rawValue),
            "dpop_bound_access_tokens": .bool(client.dpopBoundAccessTokens),
            "require_pushed_authorization_requests": .bool(client.requirePushedAuthorizationRequests),
        ]
        object["client_secret"] = secret.map { .string($0.value) }
        object["client_secret_expires_at"] = secret.map { _ in 0 }
        if !client.jwks.keys.isEmpty { object["jwks"] = .object(client.jwks.json) }
        let algorithms = [
            ("token_endpoint_auth_signing_alg", client.tokenEndpointAuthSigningAlgorithm),
            ("id_token_signed_response_alg", client.idTokenSignedResponseAlgorithm),
            ("request_object_signing_alg", client.requestObjectSigningAlgorithm),
        ]
        for (name, algorithm) in algorithms { object[name] = algorithm.map { .string($0.rawValue) } }
        if client.requireSignedRequestObject { object["require_signed_request_object"] = true }
        object["application_type"] = client.applicationType.map { .string($0.rawValue) }
        if !client.postLogoutRedirectURIs.isEmpty {
            object["post_logout_redirect_uris"] = .strings(client.postLogoutRedirectURIs)
        }
        return object
    }
}
