// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import JOSE
import OAuthCore
public import ResourceServer
import Synchronization

/// An API in the process of a test: routes behind the real guard, which checks token and proof of each request.
///
/// ```swift
/// let server = try await FakeAuthorizationServer()
/// let api = try FakeResourceServer(for: server)
/// try api.route("GET", "/notes", needing: ["api:read"], json: #"["Water the plants"]"#)
/// ```
///
/// The app's client sends requests to ``address`` through the same server, which is its network.
public final class FakeResourceServer: Sendable {
    /// Responds to an accepted request.
    public typealias Handler = @Sendable (HTTPRequest, AuthorizedRequest) async -> HTTPResponse

    /// The address of the API, without a trailing slash.
    public let address: String
    private let room: TestAPIHost

    /// Sets up an API.
    ///
    /// - Parameters:
    ///   - server: The server whose access tokens the API accepts, and whose clock it uses.
    ///   - address: The address: an https URL without query, fragment, path and trailing slash; `nil` for the audience
    ///     of the server's tokens. The tokens have that audience whatever the address is.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration``, also if there is a fake at this address.
    public init(
        for server: FakeAuthorizationServer,
        address: String? = nil
    ) throws(OAuthTestingError) {
        let address = address ?? server.apiAddress
        let origin: String?
        do {
            let uri = try URI(parsing: address)
            var configuration = GuardConfiguration(
                issuer: server.issuer,
                address: uri,
                audience: server.apiAddress,
                tokenAlgorithms: [.edDSA]
            )
            configuration.leeway = FakeAuthorizationServer.leeway
            room = try TestAPIHost(configuration, for: server)
            origin = uri.path.isEmpty ? uri.origin : nil
        } catch {
            throw OAuthTestingError(.invalidConfiguration, "the API cannot be set up", underlying: error)
        }
        guard let origin, server.network.add(room, at: origin) else {
            throw OAuthTestingError(.invalidConfiguration, "the address of the API has a path, or is taken")
        }
        self.address = address
    }

    /// Adds a route, or replaces the one with the same method and path.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, exactly as sent; a query may follow it.
    ///   - scopes: The scopes that the access token must have.
    ///   - handler: Responds to accepted requests.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration`` for an invalid scope (RFC 6749 section 3.3).
    public func route(
        _ method: String,
        _ path: String,
        needing scopes: [String] = [],
        handler: @escaping Handler
    ) throws(OAuthTestingError) {
        do {
            room.add(TestAPIHost.Route(needed: try Scope(scopes), handler: handler), for: method, path)
        } catch {
            throw OAuthTestingError(.invalidConfiguration, "the route needs a scope that is none", underlying: error)
        }
    }

    /// Adds a route that always responds with the same JSON.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, exactly as sent.
    ///   - scopes: The scopes that the access token must have.
    ///   - json: The body of the response, as sent.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration`` for an invalid scope.
    public func route(
        _ method: String,
        _ path: String,
        needing scopes: [String] = [],
        json: String
    ) throws(OAuthTestingError) {
        let response = HTTPResponse(
            status: 200,
            fields: ["Content-Type": "application/json"],
            body: Array(json.utf8)
        )
        try route(method, path, needing: scopes) { _, _ in response }
    }

    /// Injects a fault into the next requests to this API.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - times: The number of requests.
    ///   - path: Only requests for this path; `nil` for any.
    public func answerNext(with fault: NetworkFault, times: Int = 1, at path: String? = nil) {
        room.faults.add(fault, times: times, path: path)
    }

    /// Removes all injected faults that have not occurred yet.
    public func answerAsEver() {
        room.faults.removeAll()
    }

    /// How many requests the guard accepted.
    public var acceptedRequests: Int { room.accepted }

    /// How many requests the guard rejected: without a token, with an invalid proof, or to require a nonce.
    public var rejectedRequests: Int { room.refused }
}
