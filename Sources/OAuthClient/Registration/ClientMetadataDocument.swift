// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
public import OAuthCore
import OAuthSystem
public import StrictJSON

/// The metadata of a client at an https URL that is also its client identifier: servers that read such documents need
/// no registration (draft-ietf-oauth-client-id-metadata-document-02).
///
/// Publish ``json`` at exactly ``clientID``, with status 200, as `application/json`, without a redirect.
public struct ClientMetadataDocument: Sendable, Hashable {
    /// `client_id`: the URL of the document, byte by byte.
    public let clientID: String
    /// All other members, checked.
    public let metadata: ClientMetadata

    /// The maximum size of a document, in bytes: servers are advised not to read more.
    public static let maximumSize = 5120

    /// Makes a document.
    ///
    /// - Parameters:
    ///   - clientID: The URL of the document: `https` in lower case, with a path without `.` and `..` segments, without
    ///     user information and fragment.
    ///   - metadata: The metadata of the client. Without a `token_endpoint_auth_method`, `none` is set.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, whose reason says what a server would reject.
    public init(clientID: String, metadata: ClientMetadata) throws(OAuthClientError) {
        var metadata = metadata
        // If absent, it would mean client_secret_basic (RFC 7591 section 2).
        metadata.tokenEndpointAuthMethod = metadata.tokenEndpointAuthMethod ?? ClientAuthenticationMethod.none
        try Self.checkURL(clientID)
        try Self.check(metadata)
        self.clientID = clientID
        self.metadata = metadata
        guard JSONValue.object(json).encoded().count <= Self.maximumSize else {
            throw Self.refused("the document is longer than \(Self.maximumSize) bytes")
        }
    }

    /// Reads a document as a server does.
    ///
    /// - Parameters:
    ///   - object: The document.
    ///   - url: The URL that the document was read from.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``.
    public init(parsing object: JSONObject, servedAt url: String) throws(OAuthClientError) {
        guard let clientID = object["client_id"]?.stringValue, clientID.isIdentical(to: url) else {
            throw Self.refused("'client_id' is not the URL of the document, character by character")
        }
        guard object["token_endpoint_auth_method"]?.stringValue != nil else {
            throw Self.refused("'token_endpoint_auth_method' is missing, which means client_secret_basic")
        }
        let keys = object["jwks"]?.objectValue?["keys"]?.arrayValue ?? []
        guard keys.allSatisfy({ $0.objectValue?["d"] == nil && $0.objectValue?["k"] == nil }) else {
            throw Self.refused("'jwks' has a private or symmetric key, which everybody can read: replace it everywhere")
        }
        var rest = object
        rest["client_id"] = nil
        let metadata: ClientMetadata
        do {
            metadata = try ClientMetadata(parsing: rest)
        } catch {
            throw OAuthClientError(.invalidArgument, error.reason, underlying: error)
        }
        try self.init(clientID: clientID, metadata: metadata)
    }

    /// The document as JSON, for publishing.
    public var json: JSONObject {
        var object: JSONObject = ["client_id": .string(clientID)]
        for member in metadata.json.members { object[member.name] = member.value }
        return object
    }

    /// Checks that the document matches a client: otherwise the server would reject the client's requests.
    func requireDescription(
        of clientID: String,
        _ redirectURI: URI?,
        _ method: ClientAuthenticationMethod
    ) throws(OAuthClientError) {
        guard clientID.isIdentical(to: self.clientID) else {
            throw Self.refused("the client identifier is not the one of the client's document")
        }
        guard method == metadata.tokenEndpointAuthMethod else {
            throw Self.refused("the client does not authenticate as its document says")
        }
        guard let redirectURI else { return }
        // Servers compare byte by byte, except for the port of a loopback address (RFC 8252 section 7.3).
        let isListed = (metadata.redirectURIs ?? []).contains { text in
            if text.isIdentical(to: redirectURI.description) { return true }
            guard let uri = try? URI(parsing: text), uri.isLoopbackIPLiteral else { return false }
            return RedirectURIComparison.isSame(uri, redirectURI, ignoringLoopbackPort: true)
                && uri.query == redirectURI.query
        }
        guard isListed else { throw Self.refused("the redirect URI is not in the client's document") }
    }

    /// Section 6 of the draft: a user must not be sent to a server that does not understand the identifier.
    static func requireSupport(
        _ document: ClientMetadataDocument?,
        by metadata: AuthorizationServerMetadata
    ) throws(OAuthClientError) {
        guard document == nil || metadata.clientIDMetadataDocumentSupported else {
            throw OAuthClientError(.unsupportedByServer, "the server does not read metadata documents of clients")
        }
    }

    /// Section 3 of the draft.
    private static func checkURL(_ text: String) throws(OAuthClientError) {
        guard let url = try? URI(parsing: text), url.scheme == "https", url.host?.isEmpty == false else {
            throw refused("the client identifier is not an https URL")
        }
        guard url.userinfo == nil, url.fragment == nil else {
            throw refused("the client identifier has user information or a fragment")
        }
        guard !url.path.isEmpty else { throw refused("the client identifier has no path") }
        let segments = url.path.lowercased().replacing(text: "%2e", with: ".").split(separator: "/")
        guard !segments.contains("."), !segments.contains("..") else {
            throw refused("the path of the client identifier has '.' or '..' in it")
        }
    }

    /// Section 4 of the draft, and what RFC 7591 requires of any metadata.
    private static func check(_ metadata: ClientMetadata) throws(OAuthClientError) {
        if let name = ["client_id", "client_secret", "client_secret_expires_at"].first(where: {
            metadata.otherMembers[$0] != nil
        }) {
            throw refused("'\(name)' may not be in the metadata: everybody can read the document")
        }
        let method = metadata.tokenEndpointAuthMethod ?? .none
        guard !method.rawValue.hasPrefix("client_secret") else {
            throw refused("a client whose document everybody can read has no secret: not \(method)")
        }
        try checkKeys(metadata, method)
        try checkRedirectURIs(metadata)
    }

    private static func checkKeys(
        _ metadata: ClientMetadata,
        _ method: ClientAuthenticationMethod
    ) throws(OAuthClientError) {
        guard metadata.jwks == nil || metadata.jwksURI == nil else {
            throw refused("'jwks' and 'jwks_uri' are both there")
        }
        if let uri = metadata.jwksURI, uri.scheme != "https" { throw refused("'jwks_uri' is not an https URL") }
        if method == .privateKeyJWT, metadata.jwks?.keys.isEmpty ?? true, metadata.jwksURI == nil {
            throw refused("private_key_jwt needs 'jwks' or 'jwks_uri'")
        }
    }

    private static func checkRedirectURIs(_ metadata: ClientMetadata) throws(OAuthClientError) {
        let usesRedirects = metadata.grantTypes?.contains("authorization_code") ?? true
        let redirectURIs = metadata.redirectURIs ?? []
        guard !usesRedirects || !redirectURIs.isEmpty else {
            throw refused("'redirect_uris' is missing: no code could be sent anywhere")
        }
        for text in redirectURIs {
            guard let uri = try? URI(parsing: text), uri.fragment == nil else {
                throw refused("a redirect URI is not an absolute URI without a fragment")
            }
            // RFC 8252 section 7: http only within this machine.
            guard uri.scheme.lowercased() != "http" || uri.isLoopbackIPLiteral else {
                throw refused("a redirect URI with http is not on 127.0.0.1 or [::1]")
            }
        }
    }

    private static func refused(_ reason: String) -> OAuthClientError {
        OAuthClientError(.invalidArgument, reason)
    }
}
