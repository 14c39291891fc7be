// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import HTTPServer
import StrictJSON
import Synchronization
import TestSupport

@testable import KeyboundCommand

/// An MCP server that is its own authorization server, and gives every client a secret, as that of the reference SDK does.
final class SecretIssuer: Sendable {
    static let secret = "MARK-secret"

    private struct State {
        var registrationCount = 0
        var lostClients: Set<String> = []
        var refreshToken = "refresh"
        var rejectsTokens = false
        var tokenRequests: [FormParameters] = []
        var revocations: [FormParameters] = []
    }

    private let listener: HTTPListener
    private let givesNewClients: Bool
    private let rotatesTokens: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - givesNewClients: Whether the second registration makes the client `registered-2`, with a secret that ends in
    ///     `-2`, and so on; otherwise each makes the same client.
    ///   - rotatesTokens: Whether the tokens of each response end in its number, and the refresh token of the one before
    ///     ends; otherwise all responses have the same.
    ///   - beforeRefresh: Runs when a refresh has been processed, before its response is sent.
    /// - Throws: An error of the listener.
    init(
        givesNewClients: Bool = false,
        rotatesTokens: Bool = false,
        beforeRefresh: @escaping @Sendable () async -> Void = {}
    ) throws {
        self.givesNewClients = givesNewClients
        self.rotatesTokens = rotatesTokens
        let slot = LateBoundHandler()
        // Not a port that the system assigns: after ``stop()``, requests would reach the server of another test.
        listener = try HTTPListener(port: FreePort.next(), handler: slot.respond)
        slot.set { [weak self] request in
            guard let self else { return HTTPResponse(status: 503) }
            let response = respond(to: request)
            if request.path == "/token", isOfRefresh(request) { await beforeRefresh() }
            return response
        }
    }

    var origin: String { "http://127.0.0.1:\(listener.port)" }
    var url: String { origin + "/mcp" }
    /// The bodies of the token requests.
    var tokenRequests: [FormParameters] { state.withLock { $0.tokenRequests } }
    /// The bodies of the requests to revoke a token.
    var revocations: [FormParameters] { state.withLock { $0.revocations } }
    /// How many clients were registered.
    var registrationCount: Int { state.withLock { $0.registrationCount } }

    /// Loses a client.
    func forget(_ clientID: String) {
        state.withLock { state in _ = state.lostClients.insert(clientID) }
    }

    /// Makes the MCP server reject the access tokens that it has issued so far.
    func rejectTokens() {
        state.withLock { $0.rejectsTokens = true }
    }

    func stop() async { await listener.stop(draining: .zero) }

    private func respond(to request: HTTPRequest) -> HTTPResponse {
        switch request.path {
        case "/.well-known/oauth-protected-resource/mcp":
            Self.json(["resource": .string(url), "authorization_servers": [.string(origin)]])
        case "/.well-known/oauth-authorization-server": Self.json(metadata)
        case "/register": register()
        case "/token": token(request)
        case "/revoke": revoke(request)
        case "/mcp": respondAsServer(to: request)
        default: HTTPResponse(status: 404)
        }
    }

    private func respondAsServer(to request: HTTPRequest) -> HTTPResponse {
        guard request.fields["Authorization"] != nil else { return HTTPResponse(status: 401) }
        guard state.withLock({ $0.rejectsTokens }) else { return HTTPResponse(status: 200) }
        return HTTPResponse(status: 401, fields: ["WWW-Authenticate": #"Bearer error="invalid_token""#])
    }

    private func isOfRefresh(_ request: HTTPRequest) -> Bool {
        guard let form = try? FormParameters(decoding: request.body) else { return false }
        return (try? form.value(for: "grant_type")) == "refresh_token"
    }

    private var metadata: JSONObject {
        [
            "issuer": .string(origin), "authorization_endpoint": .string(origin + "/authorize"),
            "token_endpoint": .string(origin + "/token"), "registration_endpoint": .string(origin + "/register"),
            "revocation_endpoint": .string(origin + "/revoke"),
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
        ]
    }

    private func register() -> HTTPResponse {
        let number = state.withLock { state in
            state.registrationCount += 1
            return state.registrationCount
        }
        let end = givesNewClients && number > 1 ? "-\(number)" : ""
        return Self.json(
            [
                "client_id": .string("registered" + end), "client_secret": .string(Self.secret + end),
                "client_secret_expires_at": 0, "redirect_uris": ["http://127.0.0.1/callback"],
                "token_endpoint_auth_method": "client_secret_post",
            ],
            status: 201
        )
    }

    /// Whether a form has the secret of its client.
    private func isAuthenticated(_ form: FormParameters) -> Bool {
        guard let clientID = (try? form.value(for: "client_id")) ?? nil,
            let secret = (try? form.value(for: "client_secret")) ?? nil,
            !state.withLock({ $0.lostClients.contains(clientID) })
        else { return false }
        let end = String(clientID.dropFirst("registered".count))
        return clientID == "registered" + end && secret == Self.secret + end
    }

    private func revoke(_ request: HTTPRequest) -> HTTPResponse {
        guard let form = try? FormParameters(decoding: request.body) else { return HTTPResponse(status: 400) }
        state.withLock { $0.revocations.append(form) }
        return isAuthenticated(form)
            ? HTTPResponse(status: 200) : Self.json(["error": "invalid_client"], status: 401)
    }

    private func token(_ request: HTTPRequest) -> HTTPResponse {
        guard let form = try? FormParameters(decoding: request.body) else { return HTTPResponse(status: 400) }
        let number = state.withLock { state in
            state.tokenRequests.append(form)
            return state.tokenRequests.count
        }
        guard isAuthenticated(form) else {
            return Self.json(["error": "invalid_client", "error_description": "no such client"], status: 401)
        }
        let end = rotatesTokens ? "-\(number)" : ""
        let sent = (try? form.value(for: "refresh_token")) ?? nil
        let isGood = state.withLock { state in
            guard sent == nil || sent == state.refreshToken else { return false }
            state.refreshToken = "refresh" + end
            state.rejectsTokens = false
            return true
        }
        guard isGood else { return Self.json(["error": "invalid_grant"], status: 400) }
        return Self.json([
            "access_token": .string("token" + end), "token_type": "Bearer", "expires_in": 3600,
            "refresh_token": .string("refresh" + end),
        ])
    }

    private static func json(_ object: JSONObject, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: ["Content-Type": "application/json"],
            body: JSONValue.object(object).encoded()
        )
    }
}
