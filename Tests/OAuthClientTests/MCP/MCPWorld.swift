// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthTransport
import StrictJSON
import Synchronization

/// MCP servers and authorization servers in memory, which a test can bend; and the user's browser.
actor MCPWorld: ClientTransport {
    static let server = "https://mcp.example/mcp"
    static let pathDocument = "https://mcp.example/.well-known/oauth-protected-resource/mcp"
    static let rootDocument = "https://mcp.example/.well-known/oauth-protected-resource"
    static let issuer = "https://auth.example"
    static let serverDocument = "https://auth.example/.well-known/oauth-authorization-server"

    struct Rules {
        /// The challenge of 401; `nil` for none.
        var challenge: [String] = ["Bearer resource_metadata=\"\(MCPWorld.pathDocument)\""]
        /// The challenge of a token that is not valid.
        var invalid = ["Bearer error=\"invalid_token\", resource_metadata=\"\(MCPWorld.pathDocument)\""]
        /// The scope that a POST needs, and how a token without it is refused.
        var neededScope: String?
        var scopeChallenge = "Bearer error=\"insufficient_scope\", scope=\"files:write\""
        /// What is said at each URL, instead of what is there.
        var answers: [String: HTTPResponse] = [:]
        var tokenType = "Bearer"
        /// What the authorization server adds to its answer.
        var callbackIssuer: String? = MCPWorld.issuer
        var callbackError: String?
        /// The granted scope; `nil` for what was asked for.
        var grantedScope: String?
        var rejectedClients: Set<String> = []
        /// The clients that the authorization server has lost: it shows an error page, and sends the browser nowhere.
        var lostClients: Set<String> = []
        var rejectedRedirectURIs: Set<String> = []
        var registrationMembers: JSONObject = [:]
        var rejectsAllTokens = false
        /// Whether the server knows only the tokens of sign-ins.
        var rejectsRefreshedTokens = false
        /// Whether the authorization server refuses every refresh token.
        var rejectsRefresh = false
        /// Whether the authorization server knows no client any more when it comes to refresh its tokens.
        var rejectsRefreshedClients = false
        /// The messages of a stream of events that is the answer to each request; the stream then stays open, silent.
        var events: [String]?
    }

    var rules = Rules()
    private(set) var requests: [HTTPRequest] = []
    private(set) var authorizations: [FormParameters] = []
    private(set) var tokenRequests: [FormParameters] = []
    private(set) var registrations: [JSONObject] = []
    private(set) var revocations: [FormParameters] = []
    private(set) var mcpFields: [HTTPFields] = []
    private var codes: [String: FormParameters] = [:]
    private var tokens: [String: String] = [:]
    private var refreshTokens: [String: String] = [:]
    private var counter = 0

    init() {
        rules.answers[Self.pathDocument] = Self.json(Self.resource())
        rules.answers[Self.serverDocument] = Self.json(Self.metadata())
    }

    func change(_ body: @Sendable (inout Rules) -> Void) { body(&rules) }

    func forgetTokens() { tokens = [:] }

    /// The URLs that were asked, without those of the MCP server itself.
    var asked: [String] { requests.map(\.target).filter { $0 != Self.server } }

    static func json(_ object: JSONObject, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: ["Content-Type": "application/json"],
            body: JSONValue.object(object).encoded()
        )
    }

    static func resource(_ changes: JSONObject = [:]) -> JSONObject {
        merged(["resource": .string(server), "authorization_servers": [.string(issuer)]], changes)
    }

    static func metadata(_ issuer: String = issuer, _ changes: JSONObject = [:]) -> JSONObject {
        merged(
            [
                "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
                "token_endpoint": .string(issuer + "/token"), "registration_endpoint": .string(issuer + "/register"),
                "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
                "authorization_response_iss_parameter_supported": true,
            ],
            changes
        )
    }

    private static func merged(_ object: JSONObject, _ changes: JSONObject) -> JSONObject {
        var object = object
        for member in changes.members { object[member.name] = member.value == .null ? nil : member.value }
        return object
    }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        requests.append(request)
        if let answer = rules.answers[request.target] { return answer }
        guard let uri = try? URI(parsing: request.target) else { return HTTPResponse(status: 400) }
        switch uri.path {
        case "/mcp": return mcp(request)
        case "/token": return token(request)
        case "/register": return register(request)
        case "/revoke":
            if let form = try? FormParameters(decoding: request.body) { revocations.append(form) }
            return HTTPResponse(status: 200)
        default: return HTTPResponse(status: 404)
        }
    }

    func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse {
        let response = try await send(request, maximumBodySize: maximumResponseSize)
        guard response.status == 200, request.target == Self.server, let events = rules.events else {
            return StreamedResponse(response)
        }
        let left = Mutex(events[...])
        let chunks = ResponseChunks {
            if let event = left.withLock({ $0.popFirst() }) { return Array("data: \(event)\n\n".utf8) }
            try await Task.sleep(for: .seconds(3600))
            return nil
        }
        return StreamedResponse(
            status: 200,
            fields: ["Content-Type": "text/event-stream"],
            body: ResponseBytes(chunks)
        )
    }

    private func mcp(_ request: HTTPRequest) -> HTTPResponse {
        mcpFields.append(request.fields)
        guard let field = request.fields["Authorization"], let space = field.firstIndex(of: " ") else {
            return refused(401, rules.challenge)
        }
        guard let scope = tokens[String(field[field.index(after: space)...])], !rules.rejectsAllTokens else {
            return refused(401, rules.invalid)
        }
        if let needed = rules.neededScope, request.method == "POST", !scope.split(separator: " ").contains(needed[...])
        {
            return refused(403, [rules.scopeChallenge])
        }
        return HTTPResponse(status: 200, body: Array("{}".utf8))
    }

    private func refused(_ status: Int, _ challenges: [String]) -> HTTPResponse {
        var response = HTTPResponse(status: status)
        for challenge in challenges { response.fields.append(name: "WWW-Authenticate", value: challenge) }
        return response
    }

    private func token(_ request: HTTPRequest) -> HTTPResponse {
        guard let form = try? FormParameters(decoding: request.body) else { return HTTPResponse(status: 400) }
        tokenRequests.append(form)
        let isRefresh = form["grant_type"] == "refresh_token"
        if rules.rejectsRefreshedClients && isRefresh || rules.rejectedClients.contains(form["client_id"] ?? "") {
            return Self.json(["error": "invalid_client"], status: 400)
        }
        let asked: String?
        switch form["grant_type"] {
        case "authorization_code":
            asked = form["code"].flatMap { codes.removeValue(forKey: $0) }.map { $0["scope"] ?? "" }
        case "refresh_token" where !rules.rejectsRefresh:
            asked = form["refresh_token"].flatMap { refreshTokens.removeValue(forKey: $0) }
        default: asked = nil
        }
        guard let asked else { return Self.json(["error": "invalid_grant"], status: 400) }
        counter += 1
        let scope = rules.grantedScope ?? asked
        let isRefreshed = form["grant_type"] == "refresh_token"
        if !isRefreshed || !rules.rejectsRefreshedTokens { tokens["at-\(counter)"] = scope }
        refreshTokens["rt-\(counter)"] = scope
        return Self.json([
            "access_token": .string("at-\(counter)"), "token_type": .string(rules.tokenType), "expires_in": 3600,
            "refresh_token": .string("rt-\(counter)"), "scope": .string(scope),
        ])
    }

    private func register(_ request: HTTPRequest) -> HTTPResponse {
        guard var object = (try? JSONValue(parsing: request.body))?.objectValue else {
            return HTTPResponse(status: 400)
        }
        registrations.append(object)
        let uris = object["redirect_uris"]?.arrayValue?.compactMap(\.stringValue) ?? []
        guard rules.rejectedRedirectURIs.isDisjoint(with: uris) else {
            return Self.json(["error": "invalid_redirect_uri"], status: 400)
        }
        object["client_id"] = .string("client-\(registrations.count)")
        for member in rules.registrationMembers.members { object[member.name] = member.value }
        return Self.json(object, status: 201)
    }

    /// The user allows a request, if the server shows a page for that.
    func approve(_ request: AuthorizationRequest) throws -> String {
        let query = try FormParameters(decoding: URI(parsing: request.url).query ?? "")
        authorizations.append(query)
        guard !rules.lostClients.contains(query["client_id"] ?? "") else {
            throw OAuthClientError(.timedOut, "the browser did not return in time")
        }
        counter += 1
        codes["code-\(counter)"] = query
        var answer: FormParameters = ["state": query["state"] ?? ""]
        if let error = rules.callbackError {
            answer.append("error", error)
            answer.append("error_description", "text of an attacker")
        } else {
            answer.append("code", "code-\(counter)")
        }
        if let issuer = rules.callbackIssuer { answer.append("iss", issuer) }
        return request.redirectURI + "?" + answer.encoded()
    }
}

/// A user who allows everything.
struct MCPUser: UserAgent {
    let world: MCPWorld

    func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        try await AuthorizationCallback(url: world.approve(makeRequest(redirectURI)))
    }
}

/// A user who answers when the gate is opened.
///
/// A sign-in that is cancelled opens it, and closes the browser.
struct SlowMCPUser: UserAgent {
    let world: MCPWorld
    let gate: Gate

    func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        let request = try await makeRequest(redirectURI)
        await withTaskCancellationHandler {
            await gate.pass()
        } onCancel: {
            Task { await gate.open() }
        }
        try Task.checkCancellation()
        return try await AuthorizationCallback(url: world.approve(request))
    }
}

extension FormParameters {
    subscript(_ name: String) -> String? { (try? value(for: name)) ?? nil }
}
