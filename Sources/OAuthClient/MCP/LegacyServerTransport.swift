// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthTransport
import StrictJSON

/// A transport that supplies the metadata of MCP servers of revision 2025-03-26 that publish none.
///
/// In that revision, an MCP server is its own authorization server, with endpoints at fixed paths of its origin. Metadata is
/// supplied only where the server answers 404: a document of the server always wins.
///
/// ## Specification
///
/// Model Context Protocol 2025-03-26, Authorization, Fallbacks for Servers without Metadata Discovery
struct LegacyServerTransport: ClientTransport {
    /// The scheme, host and port of the MCP server.
    let origin: String
    let wrapped: any ClientTransport

    var presentsClientCertificate: Bool { wrapped.presentsClientCertificate }
    var maximumResponseSize: Int { wrapped.maximumResponseSize }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        let response = try await wrapped.send(request, maximumBodySize: maximumBodySize)
        guard response.status == 404, request.method == "GET", request.target.hasPrefix(origin + "/.well-known/") else {
            return response
        }
        return switch request.target.dropFirst(origin.count) {
        case "/.well-known/oauth-protected-resource": Self.json(resource)
        // The last address that is asked for the metadata of an issuer without a path.
        case "/.well-known/openid-configuration": Self.json(authorizationServer)
        default: response
        }
    }

    func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse {
        try await wrapped.open(request, body: body, timeout: timeout)
    }

    private var resource: JSONObject {
        ["resource": .string(origin), "authorization_servers": [.string(origin)]]
    }

    /// The revision demands PKCE of every client and server.
    private var authorizationServer: JSONObject {
        [
            "issuer": .string(origin), "authorization_endpoint": .string(origin + "/authorize"),
            "token_endpoint": .string(origin + "/token"), "registration_endpoint": .string(origin + "/register"),
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
        ]
    }

    private static func json(_ object: JSONObject) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            fields: ["Content-Type": "application/json"],
            body: JSONValue.object(object).encoded()
        )
    }
}
