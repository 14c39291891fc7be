// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import JOSE
public import StrictJSON

/// What a client says about itself when it is registered (RFC 7591 section 2).
///
/// An absent member is `nil`: the server decides.
public struct ClientMetadata: Sendable, Hashable {
    /// `redirect_uris`, to be compared byte by byte.
    public var redirectURIs: [String]?
    /// `token_endpoint_auth_method`; without it `client_secret_basic` is meant.
    public var tokenEndpointAuthMethod: ClientAuthenticationMethod?
    /// `token_endpoint_auth_signing_alg`: what its assertions are signed with (OpenID Connect Registration section 2).
    public var tokenEndpointAuthSigningAlg: String?
    /// `grant_types`; without it `authorization_code` is meant.
    public var grantTypes: [String]?
    /// `response_types`; without it `code` is meant.
    public var responseTypes: [String]?
    /// `scope`: what it may ask for.
    public var scope: Scope?
    /// `client_name`, for the user.
    public var clientName: String?
    /// `client_uri`: a page about it.
    public var clientURI: URI?
    /// `logo_uri`.
    public var logoURI: URI?
    /// `tos_uri`: its terms of service.
    public var termsOfServiceURI: URI?
    /// `policy_uri`: what it does with data.
    public var policyURI: URI?
    /// `contacts`: who is responsible, mostly e-mail addresses.
    public var contacts: [String]?
    /// `jwks_uri`: where its public keys are; not together with ``jwks``.
    public var jwksURI: URI?
    /// `jwks`: its public keys.
    public var jwks: JWKSet?
    /// `software_id`: the same for every copy of the software.
    public var softwareID: String?
    /// `software_version`.
    public var softwareVersion: String?
    /// `software_statement`: a signed JWT with such members.
    public var softwareStatement: String?
    /// `dpop_bound_access_tokens`: whether it always uses DPoP (RFC 9449 section 5.2); absent is `false`.
    public var dpopBoundAccessTokens = false
    /// Every other member, kept as it was.
    public var otherMembers = JSONObject()

    /// Makes metadata that says nothing but that the client always uses DPoP.
    public init() {
        dpopBoundAccessTokens = true
    }

    /// Reads metadata; it does not judge whether the members go together.
    ///
    /// - Parameter object: The metadata.
    /// - Throws: ``OAuthCoreError/Code/malformedMetadata`` when a known member is of the wrong type,
    ///   ``OAuthCoreError/Code/malformedScope``.
    public init(parsing object: JSONObject) throws(OAuthCoreError) {
        var reader = MetadataReader(object)
        for (name, path) in Self.texts { self[keyPath: path] = try reader.string(name) }
        for (name, path) in Self.uris { self[keyPath: path] = try reader.uri(name) }
        for (name, path) in Self.lists { self[keyPath: path] = try reader.strings(name) }
        dpopBoundAccessTokens = try reader.flag("dpop_bound_access_tokens")
        tokenEndpointAuthMethod = try reader.string("token_endpoint_auth_method")
            .map { ClientAuthenticationMethod(rawValue: $0) }
        if let text = try reader.string("scope") { scope = try Scope(parsing: text) }
        jwks = try reader.keys("jwks")
        otherMembers = reader.rest
    }

    /// The metadata for sending.
    public var json: JSONObject {
        var object = JSONObject()
        for (name, path) in Self.lists { object[name] = self[keyPath: path].map { .strings($0) } }
        for (name, path) in Self.texts { object[name] = self[keyPath: path].map { .string($0) } }
        for (name, path) in Self.uris { object[name] = self[keyPath: path].map { .string($0.description) } }
        object["token_endpoint_auth_method"] = tokenEndpointAuthMethod.map { .string($0.rawValue) }
        object["scope"] = scope.map { .string($0.description) }
        object["jwks"] = jwks.map { .object($0.json) }
        if dpopBoundAccessTokens { object["dpop_bound_access_tokens"] = true }
        for member in otherMembers.members where object[member.name] == nil { object[member.name] = member.value }
        return object
    }
}

extension ClientMetadata {
    private typealias Member<Value> = (name: String, path: WritableKeyPath<Self, Value>)

    private static var texts: [Member<String?>] {
        [
            ("token_endpoint_auth_signing_alg", \.tokenEndpointAuthSigningAlg),
            ("client_name", \.clientName),
            ("software_id", \.softwareID),
            ("software_version", \.softwareVersion),
            ("software_statement", \.softwareStatement),
        ]
    }

    private static var uris: [Member<URI?>] {
        [
            ("client_uri", \.clientURI),
            ("logo_uri", \.logoURI),
            ("tos_uri", \.termsOfServiceURI),
            ("policy_uri", \.policyURI),
            ("jwks_uri", \.jwksURI),
        ]
    }

    private static var lists: [Member<[String]?>] {
        [
            ("redirect_uris", \.redirectURIs),
            ("grant_types", \.grantTypes),
            ("response_types", \.responseTypes),
            ("contacts", \.contacts),
        ]
    }
}
