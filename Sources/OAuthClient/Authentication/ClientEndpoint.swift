// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// An endpoint of the server with client authentication, by its name in the metadata.
enum ClientEndpoint: String {
    case token = "token_endpoint"
    case pushedAuthorizationRequest = "pushed_authorization_request_endpoint"
    case revocation = "revocation_endpoint"
    case introspection = "introspection_endpoint"
    case deviceAuthorization = "device_authorization_endpoint"
    case authorizationChallenge = "authorization_challenge_endpoint"

    func uri(in metadata: AuthorizationServerMetadata) -> URI? {
        switch self {
        case .token: metadata.tokenEndpoint
        case .pushedAuthorizationRequest: metadata.pushedAuthorizationRequestEndpoint
        case .revocation: metadata.revocationEndpoint
        case .introspection: metadata.introspectionEndpoint
        case .deviceAuthorization: metadata.deviceAuthorizationEndpoint
        case .authorizationChallenge: metadata.authorizationChallengeEndpoint
        }
    }

    /// The methods that the endpoint supports; `nil` when the metadata does not say.
    ///
    /// Pushed requests, device authorization and sign-in without a browser use those of the token endpoint (RFC 9126
    /// section 2, RFC 8628 section 3.1, OAuth 2.0 for First-Party Applications section 5.1).
    func authenticationMethods(in metadata: AuthorizationServerMetadata) -> [String]? {
        switch self {
        case .token, .pushedAuthorizationRequest, .deviceAuthorization, .authorizationChallenge:
            metadata.tokenEndpointAuthMethodsSupported
        case .revocation: metadata.revocationEndpointAuthMethodsSupported
        case .introspection: metadata.introspectionEndpointAuthMethodsSupported
        }
    }
}
