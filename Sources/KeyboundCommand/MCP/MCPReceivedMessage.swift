// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// One message of the MCP server.
struct MCPReceivedMessage: Sendable {
    /// The message as one line.
    let line: [UInt8]
    private let content: JSONObject

    init(parsing bytes: [UInt8]) throws(MCPFailure) {
        let value: JSONValue
        do throws(StrictJSONError) {
            value = try JSONValue(parsing: bytes, limits: MCPMessage.limits)
        } catch {
            throw MCPFailure(.failed, "the MCP server sent a message that is not JSON: \(error.reason)")
        }
        guard let object = value.objectValue, object["jsonrpc"]?.stringValue == "2.0" else {
            throw MCPFailure(.failed, "the MCP server sent JSON that is not a message of JSON-RPC 2.0")
        }
        content = object
        // In JSON a line break stands between tokens only: a space means the same.
        line = bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
    }

    /// Whether it is the response to a request.
    func answers(_ id: JSONValue) -> Bool {
        content["method"] == nil && content["id"] == id
    }

    /// The revision that the server chose in its response to `initialize`.
    var protocolVersion: String? {
        let version = content["result"]?.objectValue?["protocolVersion"]?.stringValue
        return version.flatMap { MCPMessage.isVisible($0) ? $0 : nil }
    }

    /// The error in the body of a response whose status is not a success, as the response to a request.
    ///
    /// Its identifier is often missing there (MCP 2025-11-25, Sending Messages to the Server, 4), so it is put in.
    ///
    /// - Returns: A line; `nil` if the body is no such error.
    static func error(in body: [UInt8], answering id: JSONValue) -> [UInt8]? {
        guard let object = try? JSONValue(parsing: body, limits: MCPMessage.limits).objectValue,
            object["jsonrpc"]?.stringValue == "2.0", let error = object["error"]?.objectValue,
            error["code"]?.integerValue != nil, error["message"]?.stringValue != nil
        else { return nil }
        let answer: JSONValue = ["jsonrpc": "2.0", "id": id, "error": .object(error)]
        return answer.encoded()
    }
}
