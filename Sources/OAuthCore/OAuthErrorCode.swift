// SPDX-License-Identifier: Apache-2.0

/// The value of `error` in a response or a challenge.
///
/// There is a constant for each code of the supported specifications in the IANA registry; a server may send others.
public struct OAuthErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The registered name, case-sensitive.
    public let rawValue: String

    /// Names a code.
    ///
    /// - Parameter rawValue: The registered name, case-sensitive.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The registered name.
    public var description: String { rawValue }
}

// RFC 6749 sections 4.1.2.1 and 5.2
extension OAuthErrorCode {
    /// A parameter is missing, repeated, unknown or malformed.
    public static let invalidRequest = Self(rawValue: "invalid_request")
    /// The client may not use this grant.
    public static let unauthorizedClient = Self(rawValue: "unauthorized_client")
    /// The user or the server denied the request.
    public static let accessDenied = Self(rawValue: "access_denied")
    /// The server does not support this response type.
    public static let unsupportedResponseType = Self(rawValue: "unsupported_response_type")
    /// The scope is unknown, malformed, or more than was granted.
    public static let invalidScope = Self(rawValue: "invalid_scope")
    /// The server encountered an unexpected error.
    public static let serverError = Self(rawValue: "server_error")
    /// The server is overloaded or under maintenance.
    public static let temporarilyUnavailable = Self(rawValue: "temporarily_unavailable")
    /// Client authentication failed.
    public static let invalidClient = Self(rawValue: "invalid_client")
    /// The code or refresh token is invalid, expired, revoked, or was issued to another client.
    public static let invalidGrant = Self(rawValue: "invalid_grant")
    /// The server does not support this grant type.
    public static let unsupportedGrantType = Self(rawValue: "unsupported_grant_type")
}

// RFC 6750 section 3.1
extension OAuthErrorCode {
    /// The access token is expired, revoked or malformed.
    public static let invalidToken = Self(rawValue: "invalid_token")
    /// The access token does not have the required scope.
    public static let insufficientScope = Self(rawValue: "insufficient_scope")
}

// RFC 7009 section 2.2.1
extension OAuthErrorCode {
    /// Tokens of this kind cannot be revoked.
    public static let unsupportedTokenType = Self(rawValue: "unsupported_token_type")
}

// RFC 7591 section 3.2.2
extension OAuthErrorCode {
    /// A redirect URI is invalid.
    public static let invalidRedirectURI = Self(rawValue: "invalid_redirect_uri")
    /// A member of the client metadata is invalid.
    public static let invalidClientMetadata = Self(rawValue: "invalid_client_metadata")
    /// The software statement is invalid.
    public static let invalidSoftwareStatement = Self(rawValue: "invalid_software_statement")
    /// The software statement is not approved.
    public static let unapprovedSoftwareStatement = Self(rawValue: "unapproved_software_statement")
}

// RFC 8628 section 3.5
extension OAuthErrorCode {
    /// The user has not decided yet.
    public static let authorizationPending = Self(rawValue: "authorization_pending")
    /// As pending; the client must add 5 seconds to its polling interval.
    public static let slowDown = Self(rawValue: "slow_down")
    /// The device code has expired.
    public static let expiredToken = Self(rawValue: "expired_token")
}

// RFC 8707 section 2
extension OAuthErrorCode {
    /// The resource is unknown or malformed.
    public static let invalidTarget = Self(rawValue: "invalid_target")
}

// RFC 9101 section 7
extension OAuthErrorCode {
    /// The request URI is unknown, expired or used.
    public static let invalidRequestURI = Self(rawValue: "invalid_request_uri")
    /// The request object is invalid.
    public static let invalidRequestObject = Self(rawValue: "invalid_request_object")
    /// Request objects are not supported.
    public static let requestNotSupported = Self(rawValue: "request_not_supported")
    /// Request URIs are not supported.
    public static let requestURINotSupported = Self(rawValue: "request_uri_not_supported")
}

// OpenID Connect Core section 3.1.2.6
extension OAuthErrorCode {
    /// The user would have to interact, but the request has `prompt=none`.
    public static let interactionRequired = Self(rawValue: "interaction_required")
    /// The user would have to sign in, but the request has `prompt=none`.
    public static let loginRequired = Self(rawValue: "login_required")
    /// The user would have to choose an account, but the request has `prompt=none`.
    public static let accountSelectionRequired = Self(rawValue: "account_selection_required")
    /// The user would have to consent, but the request has `prompt=none`.
    public static let consentRequired = Self(rawValue: "consent_required")
    /// The `registration` parameter is not supported.
    public static let registrationNotSupported = Self(rawValue: "registration_not_supported")
}

// RFC 9396 section 5
extension OAuthErrorCode {
    /// The authorization details are unknown or malformed.
    public static let invalidAuthorizationDetails = Self(rawValue: "invalid_authorization_details")
}

// RFC 9449 sections 5, 7.1, 8 and 9
extension OAuthErrorCode {
    /// The DPoP proof is missing or invalid.
    public static let invalidDPoPProof = Self(rawValue: "invalid_dpop_proof")
    /// The DPoP proof must carry the nonce of this response.
    public static let useDPoPNonce = Self(rawValue: "use_dpop_nonce")
}

// RFC 9470 section 3
extension OAuthErrorCode {
    /// The user must authenticate with a stronger method or more recently.
    public static let insufficientUserAuthentication = Self(rawValue: "insufficient_user_authentication")
}

// RFC 9470 section 5 (OpenID Connect Core Error Code unmet_authentication_requirements 1.0)
extension OAuthErrorCode {
    /// The user could not authenticate, or did not, in one of the requested ways.
    public static let unmetAuthenticationRequirements = Self(rawValue: "unmet_authentication_requirements")
}

// OAuth 2.0 for First-Party Applications section 5.2.2.1
extension OAuthErrorCode {
    /// The user has to answer a step before there is a code.
    public static let insufficientAuthorization = Self(rawValue: "insufficient_authorization")
    /// The `auth_session` is unknown, expired, used, or of another client or key.
    public static let invalidSession = Self(rawValue: "invalid_session")
    /// The sign-in has to go on in a browser.
    public static let redirectToWeb = Self(rawValue: "redirect_to_web")
}

// draft-ietf-oauth-attestation-based-client-auth-11 section 7.4
extension OAuthErrorCode {
    /// The client attestation or its proof of possession is missing or invalid.
    public static let invalidClientAttestation = Self(rawValue: "invalid_client_attestation")
    /// The client attestation is too old: send one that was issued just now.
    public static let useFreshAttestation = Self(rawValue: "use_fresh_attestation")
}
