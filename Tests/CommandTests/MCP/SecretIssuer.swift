// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import HTTPServer
import StrictJSON
import Synchronization

@testable import KeyboundCommand

/// An MCP server that is its own authorization server, and gives every client a secret, as that of the reference SDK does.
final class SecretIssuer: Sendable {
    static let secret = "MARK-secret"

    private let listener: HTTPListener
    private let forms = Mutex<[FormParameters]>([])

    init() throws {
        let slot = LateBoundHandler()
        listener = try HTTPListener(port: 0, handler: slot.respond)
        slot.set { [weak self] in self?.respond(to: $0) ?? HTTPResponse(status: 503) }
    }

    var origin: String { "http://127.0.0.1:\(listener.port)" }
    var url: String { origin + "/mcp" }
    /// The bodies of the token requests.
    var tokenRequests: [FormParameters] { forms.withLock(\.self) }

    func stop() async { await listener.stop(draining: .zero) }

    private func respond(to request: HTTPRequest) -> HTTPResponse {
        switch request.path {
        case "/.well-known/oauth-protected-resource/mcp":
            Self.json(["resource": .string(url), "authorization_servers": [.string(origin)]])
        case "/.well-known/oauth-authorization-server": Self.json(metadata)
        case "/register":
            Self.json(
                [
                    "client_id": "registered", "client_secret": .string(Self.secret), "client_secret_expires_at": 0,
                    "redirect_uris": ["http://127.0.0.1/callback"],
                    "token_endpoint_auth_method": "client_secret_post",
                ],
                status: 201
            )
        case "/token": token(request)
        case "/mcp": request.fields["Authorization"] == nil ? HTTPResponse(status: 401) : HTTPResponse(status: 200)
        default: HTTPResponse(status: 404)
        }
    }

    private var metadata: JSONObject {
        [
            "issuer": .string(origin), "authorization_endpoint": .string(origin + "/authorize"),
            "token_endpoint": .string(origin + "/token"), "registration_endpoint": .string(origin + "/register"),
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
        ]
    }

    private func token(_ request: HTTPRequest) -> HTTPResponse {
        guard let form = try? FormParameters(decoding: request.body) else { return HTTPResponse(status: 400) }
        forms.withLock { $0.append(form) }
        guard (try? form.value(for: "client_secret")) == Self.secret,
            (try? form.value(for: "client_id")) == "registered"
        else { return Self.json(["error": "invalid_client"], status: 401) }
        return Self.json([
            "access_token": "token", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "refresh",
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
