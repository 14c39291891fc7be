// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import ResourceServer
import StrictJSON

/// A small MCP server over HTTP: two tools, each with a scope of its own, for the user of the access token.
struct NotesServer: Sendable {
    /// The path of the server below its address.
    static let path = "/mcp"
    static let read = "notes:read"
    static let write = "notes:write"
    /// The revisions of the protocol that begin with `initialize` and that this server speaks, the newest first.
    private static let versions = ["2025-11-25", "2025-06-18"]
    /// Origins whose web pages may call this server, such as `https://agent.example.com`.
    private static let origins: Set<String> = []

    let requestGuard: RequestGuard
    private let needsRead: GuardRequirement
    private let needsWrite: GuardRequirement

    init(requestGuard: RequestGuard) throws(OAuthCoreError) {
        self.requestGuard = requestGuard
        needsRead = GuardRequirement(scope: try Scope([Self.read]))
        needsWrite = GuardRequirement(scope: try Scope([Self.read, Self.write]))
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        if let metadata = requestGuard.metadataResponse(to: request) { return metadata }
        guard request.path == Self.path else { return HTTPResponse(status: 404) }
        // MCP Transports, Streamable HTTP: a page of another origin, as after DNS rebinding, is refused.
        guard request.fields.values(for: "Origin").allSatisfy({ Self.origins.contains($0) }) else {
            return HTTPResponse(status: 403)
        }
        let message = (try? JSONValue(parsing: request.body))?.objectValue
        // The tool decides which scope the request needs; the guard answers for a token without it.
        let isWrite = message?["params"]?.objectValue?["name"] == "add_note"
        switch await requestGuard.check(request, for: isWrite ? needsWrite : needsRead) {
        case .rejected(let rejection): return rejection.response
        case .accepted(let authorized):
            guard request.method == "POST" else { return HTTPResponse(status: 405, fields: ["Allow": "POST"]) }
            guard let message else { return HTTPResponse(status: 400, fields: authorized.responseFields) }
            var fields = authorized.responseFields
            fields["Content-Type"] = "application/json"
            guard let id = message["id"] else { return HTTPResponse(status: 202, fields: authorized.responseFields) }
            var answer: JSONObject = ["jsonrpc": "2.0", "id": id]
            let result = result(of: message, for: authorized.subject)
            answer[result == nil ? "error" : "result"] =
                result.map { .object($0) } ?? ["code": -32601, "message": "there is no such method or tool"]
            return HTTPResponse(status: 200, fields: fields, body: JSONValue.object(answer).encoded())
        }
    }

    private func result(of message: JSONObject, for subject: String) -> JSONObject? {
        switch message["method"]?.stringValue {
        case "initialize":
            // MCP Lifecycle, Version Negotiation: the client's revision if this server speaks it, else its own newest.
            let asked = message["params"]?.objectValue?["protocolVersion"]?.stringValue
            let version = asked.flatMap { Self.versions.contains($0) ? $0 : nil } ?? Self.versions[0]
            return [
                "protocolVersion": .string(version), "capabilities": ["tools": [:]],
                "serverInfo": ["name": "notes", "version": "1"],
            ]
        case "server/discover":
            return ["capabilities": ["tools": [:]], "serverInfo": ["name": "notes", "version": "1"]]
        case "ping": return [:]
        case "tools/list":
            return ["tools": [Self.tool("list_notes", "Lists your notes"), Self.tool("add_note", "Adds a note")]]
        case "tools/call":
            switch message["params"]?.objectValue?["name"] {
            case "list_notes": return Self.text("notes of \(subject): water the plants")
            case "add_note": return Self.text("added for \(subject)")
            default: return nil
            }
        default: return nil
        }
    }

    private static func tool(_ name: String, _ description: String) -> JSONValue {
        ["name": .string(name), "description": .string(description), "inputSchema": ["type": "object"]]
    }

    private static func text(_ text: String) -> JSONObject {
        ["content": [["type": "text", "text": .string(text)]]]
    }
}
