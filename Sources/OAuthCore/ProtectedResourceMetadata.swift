// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import StrictJSON

/// The metadata of an API (RFC 9728 section 2).
///
/// An absent list is `nil`: the API does not say.
public struct ProtectedResourceMetadata: Sendable, Hashable {
    /// `resource`: the identifier of the API; compare it byte by byte.
    public var resource: String
    /// `authorization_servers`: the issuers whose tokens the API accepts.
    public var authorizationServers: [String]?
    /// `jwks_uri`: the API's signing keys.
    public var jwksURI: URI?
    /// `scopes_supported`: the scopes a client can request to use the API.
    public var scopesSupported: [String]?
    /// `bearer_methods_supported`: where a request may carry the token.
    public var bearerMethodsSupported: [String]?
    /// `resource_name`: a name to display, chosen by the API.
    public var resourceName: String?
    /// `dpop_signing_alg_values_supported`.
    public var dpopSigningAlgValuesSupported: [String]?
    /// `dpop_bound_access_tokens_required`; absent is `false`.
    public var dpopBoundAccessTokensRequired = false
    /// Every other member, unchanged.
    public var otherMembers = JSONObject()

    /// Makes metadata with nothing but the identifier.
    ///
    /// - Parameter resource: The identifier of the API.
    public init(resource: String) {
        self.resource = resource
    }

    /// Reads a metadata document; it does not check whose document it is.
    ///
    /// - Parameter object: The document.
    /// - Throws: ``OAuthCoreError/Code/malformedMetadata`` without a `resource`, or if a known member has the wrong
    ///   type.
    public init(parsing object: JSONObject) throws(OAuthCoreError) {
        var reader = MetadataReader(object)
        guard let resource = try reader.string("resource") else {
            throw OAuthCoreError(.malformedMetadata, "the metadata has no 'resource'")
        }
        self.init(resource: resource)
        jwksURI = try reader.uri("jwks_uri")
        resourceName = try reader.string("resource_name")
        dpopBoundAccessTokensRequired = try reader.flag("dpop_bound_access_tokens_required")
        for (name, path) in Self.lists { self[keyPath: path] = try reader.strings(name) }
        otherMembers = reader.rest
    }

    /// The document for publishing.
    public var json: JSONObject {
        var object: JSONObject = ["resource": .string(resource)]
        object["jwks_uri"] = jwksURI.map { .string($0.description) }
        object["resource_name"] = resourceName.map { .string($0) }
        if dpopBoundAccessTokensRequired { object["dpop_bound_access_tokens_required"] = true }
        for (name, path) in Self.lists { object[name] = self[keyPath: path].map { .strings($0) } }
        for member in otherMembers.members where object[member.name] == nil { object[member.name] = member.value }
        return object
    }

    private static var lists: [(name: String, path: WritableKeyPath<Self, [String]?>)] {
        [
            ("authorization_servers", \.authorizationServers),
            ("scopes_supported", \.scopesSupported),
            ("bearer_methods_supported", \.bearerMethodsSupported),
            ("dpop_signing_alg_values_supported", \.dpopSigningAlgValuesSupported),
        ]
    }
}
