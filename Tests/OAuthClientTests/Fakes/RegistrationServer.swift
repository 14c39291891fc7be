// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import JOSE
import StrictJSON
import Synchronization

/// A registration endpoint on a real socket (RFC 7591, RFC 7592).
final class RegistrationServer: Sendable {
    static let initialAccessToken = "initial"

    private struct State {
        var metadata: JSONObject = [:]
        var overrides: JSONObject = [:]
        var instead: HTTPResponse?
        var registered: JSONObject?
        var token = 0
        var requests: [HTTPRequest] = []
    }

    private final class Conduct: Sendable {
        let state = Mutex(State())
    }

    let issuer: String
    private let conduct: Conduct
    private let listener: HTTPListener

    init() throws {
        let conduct = Conduct()
        listener = try HTTPListener(port: 0, threads: 1) { request in
            conduct.state.withLock { Self.respond(to: request, &$0) }
        }
        self.conduct = conduct
        issuer = "http://127.0.0.1:\(listener.port)"
    }

    var requests: [HTTPRequest] { conduct.state.withLock { $0.requests } }
    var registered: JSONObject? { conduct.state.withLock { $0.registered } }

    /// Replaces members of responses; `null` removes one.
    func override(_ members: JSONObject) {
        conduct.state.withLock { $0.overrides = members }
    }

    func answer(once response: HTTPResponse) {
        conduct.state.withLock { $0.instead = response }
    }

    func override(metadata members: JSONObject) {
        conduct.state.withLock { $0.metadata = members }
    }

    private static func respond(to request: HTTPRequest, _ state: inout State) -> HTTPResponse {
        let base = "http://" + (request.fields["Host"] ?? "")
        if request.target.hasPrefix("/.well-known/") {
            let usual: JSONObject = [
                "issuer": .string(base), "registration_endpoint": .string(base + "/register"),
            ]
            return .json(200, usual.merging(state.metadata))
        }
        state.requests.append(request)
        if let response = state.instead {
            state.instead = nil
            return response
        }
        let authorization = request.fields["Authorization"]
        if request.target == "/register" {
            guard authorization == "Bearer \(initialAccessToken)" else { return HTTPResponse(status: 401) }
            return store(request, base, 201, &state)
        }
        guard authorization == "Bearer token-\(state.token)", let registered = state.registered else {
            return .challenge("Bearer error=\"invalid_token\"")
        }
        switch request.method {
        case "GET": return .json(200, registered.merging(state.overrides))
        case "PUT": return store(request, base, 200, &state)
        case "DELETE":
            state.registered = nil
            return HTTPResponse(status: 204)
        default: return HTTPResponse(status: 405)
        }
    }

    private static func store(
        _ request: HTTPRequest,
        _ base: String,
        _ status: Int,
        _ state: inout State
    ) -> HTTPResponse {
        guard request.fields["Content-Type"] == "application/json",
            let object = (try? JSONValue(parsing: request.body))?.objectValue
        else { return .error(400, "invalid_client_metadata") }
        // Each response has another token, which replaces the earlier one.
        state.token += 1
        state.registered = object.merging([
            "client_id": "c1", "client_secret": "a secret with more than 32 characters", "client_secret_expires_at": 0,
            "client_id_issued_at": 1_790_000_000, "registration_client_uri": .string(base + "/register/c1"),
            "registration_access_token": .string("token-\(state.token)"),
        ])
        return .json(status, (state.registered ?? [:]).merging(state.overrides))
    }
}
#endif
