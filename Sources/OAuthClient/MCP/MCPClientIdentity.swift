// SPDX-License-Identifier: Apache-2.0

/// Who an app is for MCP servers, whose authorization servers it may have never met.
///
/// Of what is given, the first that the authorization server takes is used: what was registered there by hand, the metadata
/// document, registration.
///
/// ## Specification
///
/// Model Context Protocol 2026-07-28, Authorization, Client Registration Approaches
public struct MCPClientIdentity: Sendable {
    /// A client that was registered by hand.
    public struct Registered: Sendable {
        /// The client identifier.
        public let clientID: String
        /// How it authenticates.
        public let authentication: ClientAuthentication

        /// Describes a client.
        ///
        /// - Parameters:
        ///   - clientID: The client identifier.
        ///   - authentication: How it authenticates.
        public init(clientID: String, authentication: ClientAuthentication = .none) {
            self.clientID = clientID
            self.authentication = authentication
        }
    }

    /// The name for users, where the app registers itself.
    public var name: String
    /// The redirect URI; `http://127.0.0.1/callback` for any free port of this machine.
    public var redirectURI: String
    /// What was registered by hand, by issuer identifier.
    public var registered: [String: Registered] = [:]
    /// A client that the user says is registered, at whatever server.
    package var registeredAnywhere: Registered?
    /// The metadata document that the app publishes, whose URL is its client identifier; `nil` for none.
    public var document: ClientMetadataDocument?
    /// Whether the app registers itself at servers that take nothing else (RFC 7591).
    public var allowsRegistration = true
    /// Whether the app also signs in at MCP servers of revision 2025-03-26 that publish no metadata, by default `false`.
    ///
    /// Such a server is its own authorization server at `/authorize`, `/token` and `/register` of its origin, and cannot say
    /// that it checks PKCE or returns `iss` (RFC 9207). Use it only for servers that you know.
    public var allowsLegacyServers = false

    /// Describes an app.
    ///
    /// - Parameters:
    ///   - name: The name for users.
    ///   - redirectURI: The redirect URI.
    ///   - document: The metadata document that it publishes.
    public init(
        name: String,
        redirectURI: String = "http://127.0.0.1/callback",
        document: ClientMetadataDocument? = nil
    ) {
        self.name = name
        self.redirectURI = redirectURI
        self.document = document
    }
}
