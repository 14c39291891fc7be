// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import JOSE
public import StrictJSON

/// The metadata of a client for its registration (RFC 7591 section 2).
///
/// An absent member is `nil`: the server decides.
public struct ClientMetadata: Sendable, Hashable, CustomReflectable {
    /// `redirect_uris`; compare them byte by byte.
    public var redirectURIs: [String]?
    /// `token_endpoint_auth_method`; absent means `client_secret_basic`.
    public var tokenEndpointAuthMethod: ClientAuthenticationMethod?
    /// `token_endpoint_auth_signing_alg`: the algorithm of its assertions (OpenID Connect Registration section 2).
    public var tokenEndpointAuthSigningAlg: String?
    /// `grant_types`; absent means `authorization_code`.
    public var grantTypes: [String]?
    /// `response_types`; absent means `code`.
    public var responseTypes: [String]?
    /// `scope`: what the client may request.
    public var scope: Scope?
    /// `client_name`, for the user.
    public var clientName: String?
    /// `client_uri`: a page about the client.
    public var clientURI: URI?
    /// `logo_uri`.
    public var logoURI: URI?
    /// `tos_uri`: its terms of service.
    public var termsOfServiceURI: URI?
    /// `policy_uri`: how the client uses data.
    public var policyURI: URI?
    /// `contacts`: who is responsible, usually e-mail addresses.
    public var contacts: [String]?
    /// `jwks_uri`: where its public keys are; not together with ``jwks``.
    public var jwksURI: URI?
    /// `jwks`: its public keys.
    public var jwks: JWKSet?
    /// `software_id`: the same for every copy of the software.
    public var softwareID: String?
    /// `software_version`.
    public var softwareVersion: String?
    /// `software_statement`: a signed JWT with client metadata.
    public var softwareStatement: String?
    /// `dpop_bound_access_tokens`: whether the client always uses DPoP (RFC 9449 section 5.2); absent is `false`.
    public var dpopBoundAccessTokens = false
    /// Every other member, unchanged.
    public var otherMembers = JSONObject()

    /// Makes metadata with nothing but `dpop_bound_access_tokens`, set to `true`.
    public init() {
        dpopBoundAccessTokens = true
    }

    /// Reads metadata; it does not check whether the members are consistent.
    ///
    /// - Parameter object: The metadata.
    /// - Throws: ``OAuthCoreError/Code/malformedMetadata`` if a known member has the wrong type,
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

    /// The names of the members: a software statement is a credential.
    public var customMirror: Mirror { Mirror(self, children: ["members": json]) }
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
