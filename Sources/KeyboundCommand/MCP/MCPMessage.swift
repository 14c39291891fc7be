// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// One message of the MCP client, as it stands on a line (MCP 2025-11-25, Transports, stdio).
struct MCPMessage: Sendable {
    enum Kind: Sendable, Hashable {
        case request(id: JSONValue)
        case notification
        case response
    }

    /// The maximum size of a message in either direction, in bytes.
    static let maximumSize = 16 << 20
    static let limits = JSONLimits(maximumSize: maximumSize, maximumDepth: 512, maximumNumberLength: 1024)
    private static let versionMember = "io.modelcontextprotocol/protocolVersion"

    let kind: Kind
    /// Empty for a response.
    let method: String
    /// The line, as it is sent.
    let body: [UInt8]
    /// The revision that the message itself names, as from 2026-07-28 each does; such a message belongs to no session.
    let ownVersion: String?
    /// What the request calls, reads or gets, for the field `Mcp-Name`.
    let name: String?
    /// The request that a `notifications/cancelled` is about.
    let cancelledID: JSONValue?

    var isInitialize: Bool { method == "initialize" }

    /// Reads a line.
    ///
    /// A batch is refused: MCP dropped batches with revision 2025-06-18, and a body must be a single message.
    init(parsing line: [UInt8]) throws(MCPFailure) {
        let value: JSONValue
        do throws(StrictJSONError) {
            value = try JSONValue(parsing: line, limits: Self.limits)
        } catch {
            throw MCPFailure(.malformed, "the line is not JSON: \(error.reason)")
        }
        if case .array = value {
            throw MCPFailure(.invalidRequest, "the line is a batch, which MCP has no more: send each message by itself")
        }
        guard let object = value.objectValue, object["jsonrpc"]?.stringValue == "2.0",
            let kind = Self.kind(of: object)
        else {
            throw MCPFailure(
                .invalidRequest,
                "the line is not a request, notification or response of JSON-RPC 2.0",
                id: Self.requestID(in: value)
            )
        }
        self.kind = kind
        body = line
        method = object["method"]?.stringValue ?? ""
        let parameters = object["params"]?.objectValue
        let version = parameters?["_meta"]?.objectValue?[Self.versionMember]?.stringValue
        ownVersion = version.flatMap { Self.isVisible($0) ? $0 : nil }
        cancelledID = parameters?["requestId"]
        switch method {
        case "tools/call", "prompts/get": name = parameters?["name"]?.stringValue
        case "resources/read": name = parameters?["uri"]?.stringValue
        default: name = nil
        }
    }

    /// The identifier of what may be a request (JSON-RPC 2.0 section 5); null if there is none.
    ///
    /// That of a response is the identifier of a request of the server: the client could have used the same for its own.
    private static func requestID(in value: JSONValue) -> JSONValue {
        guard let object = value.objectValue, let id = object["id"], id.isMessageID else { return .null }
        let isResponse = object["method"] == nil && (object["result"] != nil || object["error"] != nil)
        return isResponse ? .null : id
    }

    private static func kind(of object: JSONObject) -> Kind? {
        let hasMethod = object["method"]?.stringValue != nil
        guard let id = object["id"] else { return hasMethod ? .notification : nil }
        // MCP Base Protocol, Requests: a string or a number, and not null.
        guard id.isMessageID else { return nil }
        if hasMethod { return .request(id: id) }
        return object["result"] != nil || object["error"] != nil ? .response : nil
    }

    /// Whether a text may be the value of a field as it is: visible ASCII, and not too long.
    static func isVisible(_ text: String) -> Bool {
        (1...4096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension JSONValue {
    /// Whether it identifies a request: a string or a number.
    var isMessageID: Bool {
        switch self {
        case .string, .number: true
        default: false
        }
    }
}
