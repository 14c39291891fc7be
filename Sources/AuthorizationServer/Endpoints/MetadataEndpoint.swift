// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore

/// What the server is and can do (RFC 8414): everything that it supports and nothing else.
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
        metadata.scopesSupported = configuration.scopes.map(\.name)
        metadata.responseTypesSupported = ["code"]
        metadata.responseModesSupported = ["query"]
        metadata.grantTypesSupported = TokenEndpoint.grantTypes
        metadata.tokenEndpointAuthMethodsSupported = ["none"]
        metadata.revocationEndpointAuthMethodsSupported = ["none"]
        metadata.codeChallengeMethodsSupported = ["S256"]
        metadata.dpopSigningAlgValuesSupported = services.verifier.policy.algorithms.map(\.rawValue).sorted()
        metadata.requirePushedAuthorizationRequests = configuration.requirePushedAuthorizationRequests
        metadata.authorizationResponseIssParameterSupported = true
        return metadata
    }
}
