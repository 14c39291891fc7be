// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// The metadata of the server (RFC 8414): everything that it supports and nothing else.
struct MetadataEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to request: HTTPRequest) async -> HTTPResponse {
        .publicJSON(metadata.json)
    }

    private var metadata: AuthorizationServerMetadata {
        let (configuration, addresses) = (services.configuration, services.addresses)
        var metadata = AuthorizationServerMetadata(issuer: configuration.issuer.description)
        metadata.authorizationEndpoint = addresses.authorization.uri
        metadata.tokenEndpoint = addresses.token.uri
        metadata.jwksURI = addresses.jwks.uri
        metadata.pushedAuthorizationRequestEndpoint = addresses.pushedAuthorization.uri
        metadata.revocationEndpoint = addresses.revocation.uri
        metadata.deviceAuthorizationEndpoint = addresses.deviceAuthorization.uri
        metadata.registrationEndpoint = addresses.registration.uri
        metadata.scopesSupported = configuration.scopes.map(\.name)
        metadata.responseTypesSupported = ["code"]
        metadata.responseModesSupported = AuthorizationRequest.ResponseMode.allCases.map(\.rawValue)
        metadata.grantTypesSupported = TokenEndpoint.grantTypes
        metadata.codeChallengeMethodsSupported = ["S256"]
        metadata.dpopSigningAlgValuesSupported = services.verifier.policy.algorithms.map(\.rawValue).sorted()
        metadata.requirePushedAuthorizationRequests = configuration.requirePushedAuthorizationRequests
        metadata.authorizationResponseIssParameterSupported = true
        metadata.clientIDMetadataDocumentSupported = configuration.unregisteredClients.documents.isOn
        if configuration.firstParty.isOn {
            metadata.authorizationChallengeEndpoint = addresses.authorizationChallenge.uri
            metadata.signInStepsSupported = SignInSteps.supported(by: configuration).map(\.type.rawValue)
        }
        if services.isOpenIDProvider { addOpenID(to: &metadata) }
        addRequests(to: &metadata)
        addClientAuthentication(to: &metadata)
        addAttestation(to: &metadata)
        return metadata
    }

    /// Client authentication methods (RFC 8414 section 2): the same at every endpoint, but introspection requires a
    /// secret or a key.
    private func addClientAuthentication(to metadata: inout AuthorizationServerMetadata) {
        let methods = services.configuration.clientAuthenticationMethods
        let algorithms = services.configuration.clientAssertionAlgorithms.map(\.rawValue).sorted()
        metadata.introspectionEndpoint = services.addresses.introspection.uri
        metadata.tokenEndpointAuthMethodsSupported = methods.map(\.rawValue)
        metadata.revocationEndpointAuthMethodsSupported = methods.map(\.rawValue)
        metadata.introspectionEndpointAuthMethodsSupported =
            methods.filter { $0 != .none && $0 != .attestationWithDPoP }.map(\.rawValue)
        metadata.tokenEndpointAuthSigningAlgValuesSupported = algorithms
        for endpoint in ["revocation", "introspection"] {
            metadata.otherMembers["\(endpoint)_endpoint_auth_signing_alg_values_supported"] = .strings(algorithms)
        }
    }

    /// Attestations (draft-ietf-oauth-attestation-based-client-auth-11 sections 6.3 and 8).
    private func addAttestation(to metadata: inout AuthorizationServerMetadata) {
        let attesters = services.configuration.attesters
        guard !attesters.isEmpty else { return }
        let algorithms = attesters.reduce(into: Set()) { $0.formUnion($1.usableAlgorithms) }
        metadata.challengeEndpoint = services.addresses.challenge.uri
        metadata.clientAttestationSigningAlgValuesSupported = algorithms.map(\.rawValue).sorted()
        metadata.clientAttestationPoPSigningAlgValuesSupported = metadata.dpopSigningAlgValuesSupported
    }

    /// What authorization requests may contain and how they are signed (RFC 9101 section 10.5, RFC 9396 section 10, RFC
    /// 9728 section 4).
    private func addRequests(to metadata: inout AuthorizationServerMetadata) {
        let configuration = services.configuration
        metadata.requestObjectSigningAlgValuesSupported = configuration.requestObjectAlgorithms.map(\.rawValue).sorted()
        metadata.requireSignedRequestObject = configuration.requireSignedRequestObject
        let types = configuration.authorizationDetailTypes.map(\.type)
        if !types.isEmpty { metadata.authorizationDetailsTypesSupported = types }
        guard !configuration.resources.isEmpty else { return }
        let others = configuration.resources.map(\.address).filter { !$0.isIdentical(to: configuration.audience) }
        metadata.otherMembers["protected_resources"] = .strings([configuration.audience] + others)
    }

    /// OpenID Connect Discovery section 3; the same in both documents, since a client may read either.
    private func addOpenID(to metadata: inout AuthorizationServerMetadata) {
        let hasNames = services.configuration.existingScope.contains(Scope.profileName)
        let claims = (hasNames ? ["preferred_username"] : []) + services.configuration.claimNames
        metadata.userinfoEndpoint = services.addresses.userInfo.uri
        metadata.endSessionEndpoint = services.addresses.endSession.uri
        metadata.idTokenSigningAlgValuesSupported = services.idTokens.signingKeys.map(\.algorithm.rawValue)
        metadata.acrValuesSupported = services.configuration.authenticationContexts
        metadata.otherMembers = [
            "subject_types_supported": ["public"],
            "claims_supported": .strings(IDTokenIssuer.claims + claims),
            "prompt_values_supported": .strings(AuthorizationRequest.Authentication.Prompt.allCases.map(\.rawValue)),
            "claims_parameter_supported": false,
            "request_parameter_supported": true,
            // If this member were absent, `true` would be the default.
            "request_uri_parameter_supported": false,
        ]
    }
}
