// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
public import OAuthCore
import OAuthSystem
import OAuthTransport
import StrictJSON

/// Registers clients at a server, and reads, changes and deletes registrations.
///
/// Store the result of ``register(_:initialAccessToken:)``, and replace it with the result of each later call: the
/// server may change the secret and the token, and the earlier ones are then invalid.
///
/// ## Specification
///
/// [RFC 7591](https://www.rfc-editor.org/rfc/rfc7591), [RFC 7592](https://www.rfc-editor.org/rfc/rfc7592)
public struct ClientRegistrar: Sendable {
    private let discovery: MetadataDiscovery
    private let policy: URLPolicy
    private let transport: any HTTPTransport

    /// Makes a registrar.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the authorization server: an https URL without query and fragment.
    ///   - allowsInsecureHTTPOnLoopback: Whether http is accepted on `127.0.0.1` and `[::1]`: for tests and
    ///     development.
    ///   - transport: Sends the requests.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, ``OAuthClientError/Code/insecureURL``.
    public init(
        issuer: String,
        allowsInsecureHTTPOnLoopback: Bool = false,
        transport: any HTTPTransport
    ) throws(OAuthClientError) {
        policy = URLPolicy(allowsInsecureHTTPOnLoopback: allowsInsecureHTTPOnLoopback)
        discovery = MetadataDiscovery(issuer: issuer, uri: try policy.issuer(issuer), transport: transport)
        self.transport = transport
    }

    /// Makes a registrar that sends its requests with ``/OAuthTransport/PlatformTransport``.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the authorization server: an https URL without query and fragment.
    ///   - allowsInsecureHTTPOnLoopback: Whether http is accepted on `127.0.0.1` and `[::1]`: for tests and development.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, ``OAuthClientError/Code/insecureURL``.
    public init(issuer: String, allowsInsecureHTTPOnLoopback: Bool = false) throws(OAuthClientError) {
        try self.init(
            issuer: issuer,
            allowsInsecureHTTPOnLoopback: allowsInsecureHTTPOnLoopback,
            transport: PlatformTransport()
        )
    }

    /// Registers a client.
    ///
    /// - Parameters:
    ///   - metadata: The requested metadata of the client.
    ///   - initialAccessToken: The token that the server requires for registration; `nil` for open registration.
    /// - Returns: The registered client. Compare its metadata with the requested metadata: the server may have changed
    ///   it.
    /// - Throws: ``OAuthClientError/Code/unsupportedByServer`` without a registration endpoint,
    ///   ``OAuthClientError/Code/serverRejected``, ``OAuthClientError/Code/serverUnavailable``,
    ///   ``OAuthClientError/Code/malformedResponse``, ``OAuthClientError/Code/insecureURL``,
    ///   ``OAuthClientError/Code/metadataOfAnotherIssuer``, ``OAuthClientError/Code/transportFailed``,
    ///   ``OAuthClientError/Code/cancelled``.
    ///
    /// ## Specification
    ///
    /// [RFC 7591 §3](https://www.rfc-editor.org/rfc/rfc7591#section-3)
    public func register(
        _ metadata: ClientMetadata,
        initialAccessToken: AccessToken? = nil
    ) async throws(OAuthClientError) -> ClientRegistration {
        let endpoint = try policy.endpoint(
            await discovery.fetch().metadata.registrationEndpoint,
            "registration_endpoint"
        )
        let body = JSONValue.object(metadata.json).encoded()
        let response = try await send("POST", to: endpoint, initialAccessToken, body)
        return try Self.client(response)
    }

    /// Reads a registration.
    ///
    /// - Parameter client: The client.
    /// - Returns: The current registration, which replaces the stored one.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for a client without registration URI or registration access
    ///   token; see ``register(_:initialAccessToken:)`` for the rest.
    ///
    /// ## Specification
    ///
    /// [RFC 7592 §2.1](https://www.rfc-editor.org/rfc/rfc7592#section-2.1)
    public func read(_ client: ClientRegistration) async throws(OAuthClientError) -> ClientRegistration {
        try await manage(client, "GET")
    }

    /// Replaces the metadata of a registration.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - metadata: The complete new metadata: absent members are deleted.
    /// - Returns: The current registration, which replaces the stored one.
    /// - Throws: See ``read(_:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 7592 §2.2](https://www.rfc-editor.org/rfc/rfc7592#section-2.2)
    public func update(
        _ client: ClientRegistration,
        to metadata: ClientMetadata
    ) async throws(OAuthClientError) -> ClientRegistration {
        var object = metadata.json
        object["client_id"] = .string(client.clientID)
        // The current secret: a client cannot choose its secret.
        object["client_secret"] = client.clientSecret.map { .string($0.value) }
        return try await manage(client, "PUT", JSONValue.object(object).encoded())
    }

    /// Deletes the client at the server, which also ends its tokens.
    ///
    /// - Parameter client: The client.
    /// - Throws: See ``read(_:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 7592 §2.3](https://www.rfc-editor.org/rfc/rfc7592#section-2.3)
    public func delete(_ client: ClientRegistration) async throws(OAuthClientError) {
        let (uri, token) = try registration(of: client)
        _ = try await send("DELETE", to: uri, token, [])
    }

    private func manage(
        _ client: ClientRegistration,
        _ method: String,
        _ body: [UInt8] = []
    ) async throws(OAuthClientError) -> ClientRegistration {
        let (uri, token) = try registration(of: client)
        let newer = try Self.client(await send(method, to: uri, token, body))
        guard newer.clientID.isIdentical(to: client.clientID) else {
            throw OAuthClientError(.malformedResponse, "the server answered with another client than it was asked for")
        }
        return newer.completed(by: client)
    }

    private func registration(of client: ClientRegistration) throws(OAuthClientError) -> (URI, AccessToken) {
        guard let uri = client.registrationURI, let token = client.registrationAccessToken else {
            throw OAuthClientError(.invalidArgument, "the server gave this client no way to manage its registration")
        }
        return (try policy.endpoint(uri, "registration_client_uri"), token)
    }

    private func send(
        _ method: String,
        to uri: URI,
        _ token: AccessToken?,
        _ body: [UInt8]
    ) async throws(OAuthClientError) -> HTTPResponse {
        var request = HTTPRequest(
            method: method,
            target: uri.description,
            fields: ["Accept": "application/json"],
            body: body
        )
        if !body.isEmpty { request.fields["Content-Type"] = "application/json" }
        if let token { request.fields["Authorization"] = "Bearer \(token.value)" }
        let response = try await transport.exchange(request, RequestAttempt(.registration))
        guard (200..<300).contains(response.status) else { throw Self.refusal(response) }
        return response
    }

    /// An invalid token is reported in a challenge, a missing permission only by the status (RFC 7592 section 2).
    private static func refusal(_ response: HTTPResponse) -> OAuthClientError {
        let server = "the server, asked about the registration,"
        guard [401, 403, 405].contains(response.status) else { return OAuthClientError(rejectedBy: server, response) }
        return OAuthClientError(.serverRejected, "\(server) refused", failedResponse: FailedResponse(response))
    }

    private static func client(_ response: HTTPResponse) throws(OAuthClientError) -> ClientRegistration {
        do {
            return try ClientRegistration(parsing: response.jsonObject())
        } catch {
            throw OAuthClientError(error, otherwise: .malformedResponse, "the registration cannot be read")
        }
    }
}
