// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import StrictJSON

/// The metadata of an authorization server (RFC 8414 section 2).
///
/// An absent list is `nil`: the server does not say. It never means that nothing is supported.
public struct AuthorizationServerMetadata: Sendable, Hashable {
    /// `issuer`; compare it byte by byte.
    public var issuer: String
    /// `authorization_endpoint`.
    public var authorizationEndpoint: URI?
    /// `token_endpoint`.
    public var tokenEndpoint: URI?
    /// `jwks_uri`: the server's signing keys.
    public var jwksURI: URI?
    /// `pushed_authorization_request_endpoint` (RFC 9126 section 5).
    public var pushedAuthorizationRequestEndpoint: URI?
    /// `revocation_endpoint`.
    public var revocationEndpoint: URI?
    /// `introspection_endpoint`.
    public var introspectionEndpoint: URI?
    /// `userinfo_endpoint` (OpenID Connect Discovery section 3).
    public var userinfoEndpoint: URI?
    /// `end_session_endpoint` (OpenID Connect RP-Initiated Logout section 2.1).
    public var endSessionEndpoint: URI?
    /// `registration_endpoint`.
    public var registrationEndpoint: URI?
    /// `device_authorization_endpoint` (RFC 8628 section 4).
    public var deviceAuthorizationEndpoint: URI?
    /// `authorization_challenge_endpoint`: sign-in without a browser (OAuth 2.0 for First-Party Applications section 8).
    public var authorizationChallengeEndpoint: URI?
    /// `challenge_endpoint`: issues challenges for attestations
    /// (draft-ietf-oauth-attestation-based-client-auth-11 section 6.3).
    public var challengeEndpoint: URI?
    /// `scopes_supported`.
    public var scopesSupported: [String]?
    /// `response_types_supported`.
    public var responseTypesSupported: [String]?
    /// `response_modes_supported`.
    public var responseModesSupported: [String]?
    /// `grant_types_supported`.
    public var grantTypesSupported: [String]?
    /// `token_endpoint_auth_methods_supported`.
    public var tokenEndpointAuthMethodsSupported: [String]?
    /// `token_endpoint_auth_signing_alg_values_supported`: algorithms for client assertions.
    public var tokenEndpointAuthSigningAlgValuesSupported: [String]?
    /// `revocation_endpoint_auth_methods_supported`.
    public var revocationEndpointAuthMethodsSupported: [String]?
    /// `introspection_endpoint_auth_methods_supported`.
    public var introspectionEndpointAuthMethodsSupported: [String]?
    /// `id_token_signing_alg_values_supported` (OpenID Connect Discovery section 3).
    public var idTokenSigningAlgValuesSupported: [String]?
    /// `acr_values_supported`: the authentication contexts that the server knows (OpenID Connect Discovery section 3).
    public var acrValuesSupported: [String]?
    /// `code_challenge_methods_supported` (RFC 7636).
    public var codeChallengeMethodsSupported: [String]?
    /// `dpop_signing_alg_values_supported` (RFC 9449 section 5.1).
    public var dpopSigningAlgValuesSupported: [String]?
    /// `client_attestation_signing_alg_values_supported`: algorithms for attestations
    /// (draft-ietf-oauth-attestation-based-client-auth-11 section 8).
    public var clientAttestationSigningAlgValuesSupported: [String]?
    /// `client_attestation_pop_signing_alg_values_supported`: algorithms for the proof of possession of an attested
    /// key (draft-ietf-oauth-attestation-based-client-auth-11 section 8).
    public var clientAttestationPoPSigningAlgValuesSupported: [String]?
    /// `authorization_details_types_supported` (RFC 9396 section 10).
    public var authorizationDetailsTypesSupported: [String]?
    /// `client_id_metadata_document_supported`: whether a client identifier may be the URL of a metadata document; absent is
    /// `false` (draft-ietf-oauth-client-id-metadata-document).
    public var clientIDMetadataDocumentSupported = false
    /// `request_object_signing_alg_values_supported`: algorithms for signed authorization requests (RFC 9101 section
    /// 10.5).
    public var requestObjectSigningAlgValuesSupported: [String]?
    /// `authorization_signing_alg_values_supported`: algorithms for signed authorization responses (JARM section 4).
    public var authorizationSigningAlgValuesSupported: [String]?
    /// `keybound_sign_in_steps_supported`: the types of the steps that the authorization challenge endpoint may ask for,
    /// each a ``SignInStepType``; a member of this library's servers.
    public var signInStepsSupported: [String]?
    /// `require_signed_request_object` (RFC 9101 section 10.5); absent is `false`.
    public var requireSignedRequestObject = false
    /// `require_pushed_authorization_requests` (RFC 9126 section 5); absent is `false`.
    public var requirePushedAuthorizationRequests = false
    /// `authorization_response_iss_parameter_supported` (RFC 9207 section 3); absent is `false`.
    public var authorizationResponseIssParameterSupported = false
    /// `mtls_endpoint_aliases`: the endpoints for clients with a certificate, by endpoint name (RFC 8705 section 5).
    public var mtlsEndpointAliases: [String: URI] = [:]
    /// Every other member, unchanged.
    public var otherMembers = JSONObject()

    /// Makes metadata with nothing but the issuer.
    ///
    /// - Parameter issuer: The issuer identifier.
    public init(issuer: String) {
        self.issuer = issuer
    }

    /// Reads a metadata document; it does not check whose document it is.
    ///
    /// - Parameter object: The document.
    /// - Throws: ``OAuthCoreError/Code/malformedMetadata`` without an `issuer`, or if a known member has the wrong
    ///   type.
    public init(parsing object: JSONObject) throws(OAuthCoreError) {
        var reader = MetadataReader(object)
        guard let issuer = try reader.string("issuer") else {
            throw OAuthCoreError(.malformedMetadata, "the metadata has no 'issuer'")
        }
        self.init(issuer: issuer)
        for (name, path) in Self.endpoints { self[keyPath: path] = try reader.uri(name) }
        for (name, path) in Self.lists { self[keyPath: path] = try reader.strings(name) }
        for (name, path) in Self.flags { self[keyPath: path] = try reader.flag(name) }
        mtlsEndpointAliases = try reader.uris("mtls_endpoint_aliases")
        otherMembers = reader.rest
    }

    /// The document for publishing.
    public var json: JSONObject {
        var object: JSONObject = ["issuer": .string(issuer)]
        for (name, path) in Self.endpoints {
            object[name] = self[keyPath: path].map { .string($0.description) }
        }
        for (name, path) in Self.lists { object[name] = self[keyPath: path].map { .strings($0) } }
        for (name, path) in Self.flags where self[keyPath: path] { object[name] = true }
        if !mtlsEndpointAliases.isEmpty {
            var aliases = JSONObject()
            for (name, uri) in mtlsEndpointAliases.sorted(by: { $0.key < $1.key }) {
                aliases[name] = .string(uri.description)
            }
            object["mtls_endpoint_aliases"] = .object(aliases)
        }
        for member in otherMembers.members where object[member.name] == nil { object[member.name] = member.value }
        return object
    }
}

extension AuthorizationServerMetadata {
    private typealias Member<Value> = (name: String, path: WritableKeyPath<Self, Value>)

    private static var endpoints: [Member<URI?>] {
        [
            ("authorization_endpoint", \.authorizationEndpoint),
            ("token_endpoint", \.tokenEndpoint),
            ("jwks_uri", \.jwksURI),
            ("pushed_authorization_request_endpoint", \.pushedAuthorizationRequestEndpoint),
            ("revocation_endpoint", \.revocationEndpoint),
            ("introspection_endpoint", \.introspectionEndpoint),
            ("userinfo_endpoint", \.userinfoEndpoint),
            ("end_session_endpoint", \.endSessionEndpoint),
            ("registration_endpoint", \.registrationEndpoint),
            ("device_authorization_endpoint", \.deviceAuthorizationEndpoint),
            ("authorization_challenge_endpoint", \.authorizationChallengeEndpoint),
            ("challenge_endpoint", \.challengeEndpoint),
        ]
    }

    private static var lists: [Member<[String]?>] {
        [
            ("scopes_supported", \.scopesSupported),
            ("response_types_supported", \.responseTypesSupported),
            ("response_modes_supported", \.responseModesSupported),
            ("grant_types_supported", \.grantTypesSupported),
            ("token_endpoint_auth_methods_supported", \.tokenEndpointAuthMethodsSupported),
            ("token_endpoint_auth_signing_alg_values_supported", \.tokenEndpointAuthSigningAlgValuesSupported),
            ("revocation_endpoint_auth_methods_supported", \.revocationEndpointAuthMethodsSupported),
            ("introspection_endpoint_auth_methods_supported", \.introspectionEndpointAuthMethodsSupported),
            ("id_token_signing_alg_values_supported", \.idTokenSigningAlgValuesSupported),
            ("acr_values_supported", \.acrValuesSupported),
            ("code_challenge_methods_supported", \.codeChallengeMethodsSupported),
            ("dpop_signing_alg_values_supported", \.dpopSigningAlgValuesSupported),
            ("client_attestation_signing_alg_values_supported", \.clientAttestationSigningAlgValuesSupported),
            ("client_attestation_pop_signing_alg_values_supported", \.clientAttestationPoPSigningAlgValuesSupported),
            ("authorization_details_types_supported", \.authorizationDetailsTypesSupported),
            ("request_object_signing_alg_values_supported", \.requestObjectSigningAlgValuesSupported),
            ("authorization_signing_alg_values_supported", \.authorizationSigningAlgValuesSupported),
            ("keybound_sign_in_steps_supported", \.signInStepsSupported),
        ]
    }

    private static var flags: [Member<Bool>] {
        [
            ("client_id_metadata_document_supported", \.clientIDMetadataDocumentSupported),
            ("require_signed_request_object", \.requireSignedRequestObject),
            ("require_pushed_authorization_requests", \.requirePushedAuthorizationRequests),
            ("authorization_response_iss_parameter_supported", \.authorizationResponseIssParameterSupported),
        ]
    }
}
