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
/// The client of the app reaches it at ``address`` through the same server, which is its network.
public final class FakeResourceServer: Sendable {
    /// Answers a request that was accepted.
    public typealias Handler = @Sendable (HTTPRequest, AuthorizedRequest) async -> HTTPResponse

    /// The address of the API, without a slash at the end.
    public let address: String
    private let room: GuardRoom

    /// Sets up an API.
    ///
    /// - Parameters:
    ///   - server: The server whose access tokens it accepts, and whose clock it has.
    ///   - address: The address: an https URL without query, fragment and slash at the end, and without a path; the one that
    ///     the tokens of the server are for when `nil`. Tokens are for that one whatever the address is.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration``, also when there is a fake at this address.
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
            room = try GuardRoom(configuration, for: server)
            origin = uri.path.isEmpty ? uri.origin : nil
        } catch {
            throw OAuthTestingError(.invalidConfiguration, "the API cannot be set up", underlying: error)
        }
        guard let origin, server.network.add(room, at: origin) else {
            throw OAuthTestingError(.invalidConfiguration, "the address of the API has a path, or is taken")
        }
        self.address = address
    }

    /// Adds a route; one with the same method and path is replaced.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, exactly as it is sent; a query may follow it.
    ///   - scopes: What the access token must allow.
    ///   - handler: Answers requests that were accepted.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration`` for a scope that is none (RFC 6749 section 3.3).
    public func route(
        _ method: String,
        _ path: String,
        needing scopes: [String] = [],
        handler: @escaping Handler
    ) throws(OAuthTestingError) {
        do {
            room.add(GuardRoom.Route(needed: try Scope(scopes), handler: handler), for: method, path)
        } catch {
            throw OAuthTestingError(.invalidConfiguration, "the route needs a scope that is none", underlying: error)
        }
    }

    /// Adds a route that always answers with the same JSON.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, exactly as it is sent.
    ///   - scopes: What the access token must allow.
    ///   - json: The body of the answer, as it is sent.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration`` for a scope that is none.
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

    /// Plans what goes wrong with the next requests to this API.
    ///
    /// - Parameters:
    ///   - fault: What goes wrong.
    ///   - times: With how many requests.
    ///   - path: Only with requests for this path; any when `nil`.
    public func answerNext(with fault: NetworkFault, times: Int = 1, at path: String? = nil) {
        room.faults.add(fault, times: times, path: path)
    }

    /// Forgets every fault that was planned and has not happened.
    public func answerAsEver() {
        room.faults.removeAll()
    }

    /// How many requests the guard accepted.
    public var acceptedRequests: Int { room.accepted }

    /// How many requests the guard refused: without a token, with a wrong proof, or to ask for a nonce.
    public var refusedRequests: Int { room.refused }
}
