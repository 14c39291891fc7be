// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import StrictJSON

/// Who the app is at an authorization server: registered by hand, by its document, or by itself.
struct MCPRegistrations: Sendable {
    struct Client {
        let clientID: String
        let kind: MCPServerRecord.Client
        let authentication: ClientAuthentication
        let redirectURI: String
        /// Its registration, if it registered itself.
        var entry: MCPStoredRegistrations.Entry?
        /// Whether it was registered just now, so that the server knows it for certain.
        var isNew = false
    }

    let identity: MCPClientIdentity
    let stored: MCPStoredRegistrations
    let transport: any HTTPTransport
    let policy: URLPolicy

    /// Whether the app has an identity there already.
    func isKnown(at issuer: String) async throws(OAuthClientError) -> Bool {
        if identity.registered[issuer] != nil { return true }
        return try await stored.entry(at: issuer) != nil
    }

    /// The client to use, registered again if need be.
    func client(
        at issuer: String,
        _ metadata: AuthorizationServerMetadata,
        after earlier: MCPServerRecord?,
        insteadOf refused: MCPServerRecord?,
        isBound: Bool
    ) async throws(OAuthClientError) -> Client {
        if let client = identity.registered[issuer] ?? identity.registeredAnywhere {
            return Client(
                clientID: client.clientID,
                kind: .registeredByHand,
                authentication: client.authentication,
                redirectURI: identity.redirectURI
            )
        }
        // What was registered by hand is for one server; another one must not get to know it unasked.
        if let earlier, earlier.client == .registeredByHand, !earlier.issuer.isIdentical(to: issuer) {
            throw OAuthClientError(
                .issuerChanged,
                "the MCP server uses another authorization server now, where the app is not registered"
            )
        }
        if let document = identity.document, metadata.clientIDMetadataDocumentSupported {
            return Client(
                clientID: document.clientID,
                kind: .document,
                authentication: .none,
                redirectURI: identity.redirectURI
            )
        }
        var known = try await stored.entry(at: issuer)
        if let entry = known, refused?.isClient(entry.registration.clientID, at: issuer) == true { known = nil }
        if let known, !known.gotNoResponse { return try Self.client(known) }
        do throws(OAuthClientError) {
            return try await registerIfAllowed(at: issuer, metadata, isBound)
        } catch {
            // Perhaps the server knows it, and the user only went away.
            guard let known, error.code != .cancelled else { throw error }
            return try Self.client(known)
        }
    }

    private func registerIfAllowed(
        at issuer: String,
        _ metadata: AuthorizationServerMetadata,
        _ isBound: Bool
    ) async throws(OAuthClientError) -> Client {
        guard identity.allowsRegistration, metadata.registrationEndpoint != nil else {
            throw OAuthClientError(
                .unsupportedByServer,
                "the authorization server does not admit unregistered apps: register the app there by hand"
            )
        }
        return try await register(at: issuer, metadata, isBound)
    }

    private static func client(
        _ entry: MCPStoredRegistrations.Entry,
        isNew: Bool = false
    ) throws(OAuthClientError) -> Client {
        Client(
            clientID: entry.registration.clientID,
            kind: .registeredItself,
            authentication: try entry.registration.authentication(),
            redirectURI: entry.redirectURI,
            entry: entry,
            isNew: isNew
        )
    }

    private func register(
        at issuer: String,
        _ metadata: AuthorizationServerMetadata,
        _ isBound: Bool
    ) async throws(OAuthClientError) -> Client {
        let registrar = try ClientRegistrar(
            issuer: issuer,
            allowsInsecureHTTPOnLoopback: policy.allowsInsecureHTTPOnLoopback,
            transport: transport
        )
        var redirectURI = identity.redirectURI
        let registration: ClientRegistration
        do throws(OAuthClientError) {
            registration = try await registrar.register(request(redirectURI, metadata, isBound))
        } catch {
            // Servers disagree on which loopback redirect URI an app may have.
            guard error.answer?.error == .invalidRedirectURI, let other = Self.otherLoopback(redirectURI) else {
                throw error
            }
            redirectURI = other
            registration = try await registrar.register(request(redirectURI, metadata, isBound))
        }
        let entry = MCPStoredRegistrations.Entry(
            registration: registration,
            redirectURI: redirectURI,
            sessions: []
        )
        let client = try Self.client(entry, isNew: true)
        try await stored.save(entry, at: issuer)
        return client
    }

    private func request(
        _ redirectURI: String,
        _ metadata: AuthorizationServerMetadata,
        _ isBound: Bool
    ) -> ClientMetadata {
        var request = ClientMetadata()
        request.clientName = identity.name
        request.redirectURIs = [redirectURI]
        request.grantTypes = ["authorization_code", "refresh_token"]
        request.responseTypes = ["code"]
        request.tokenEndpointAuthMethod = Self.method(metadata.tokenEndpointAuthMethodsSupported)
        request.dpopBoundAccessTokens = isBound
        if !isBound { request.otherMembers["dpop_bound_access_tokens"] = false }
        let isWeb = (try? URI(parsing: redirectURI))?.scheme == "https"
        request.otherMembers["application_type"] = isWeb ? "web" : "native"
        return request
    }

    private static func method(_ supported: [String]?) -> ClientAuthenticationMethod {
        guard let supported else { return .none }
        // The reference SDK's server demands `client_id` in the form, even with the Authorization field of HTTP Basic.
        let known: [ClientAuthenticationMethod] = [.none, .clientSecretPost, .clientSecretBasic]
        return known.first { supported.contains($0.rawValue) } ?? .none
    }

    /// `localhost` instead of `127.0.0.1`, and the other way round; `nil` for other redirect URIs.
    static func otherLoopback(_ redirectURI: String) -> String? {
        for (one, other) in [("127.0.0.1", "localhost"), ("localhost", "127.0.0.1")] {
            let prefix = "http://" + one
            guard redirectURI.hasPrefix(prefix + "/") || redirectURI.hasPrefix(prefix + ":") else { continue }
            return "http://" + other + redirectURI.dropFirst(prefix.count)
        }
        return nil
    }
}
