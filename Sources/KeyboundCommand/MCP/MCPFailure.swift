// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// Why `keybound mcp` answers a message itself, with a JSON-RPC error (JSON-RPC 2.0 section 5.1).
struct MCPFailure: Error {
    /// The code that the MCP client sees.
    enum Code: Int64 {
        /// The line is not JSON.
        case malformed = -32_700
        /// The line is JSON, but no message of MCP.
        case invalidRequest = -32_600
        /// The server cannot be reached, or failed.
        case failed = -32_000
        /// Somebody must sign in, or unlock the key.
        case signInNeeded = -32_001
    }

    let code: Code
    /// One sentence for the person who reads the messages of the MCP client; never a secret.
    let message: String
    /// The identifier of the message; null if it could not be read (JSON-RPC 2.0 section 5).
    let id: JSONValue

    init(_ code: Code, _ message: String, id: JSONValue = .null) {
        self.code = code
        self.message = message
        self.id = id
    }

    /// Any error, with its hints: the MCP client shows one text.
    init(_ error: any Error) {
        if let failure = error as? MCPFailure {
            self = failure
            return
        }
        let failure = CommandFailure(describing: error)
        let needsUser = failure.exitCode == .signInNeeded || failure.exitCode == .keyLocked
        self.init(needsUser ? .signInNeeded : .failed, ([failure.message] + failure.hints).joined(separator: "; "))
    }

    /// The response to a request.
    func line(answering id: JSONValue) -> [UInt8] {
        let answer: JSONValue = [
            "jsonrpc": "2.0", "id": id,
            "error": ["code": .number(JSONNumber(code.rawValue)), "message": .string(SafeText.of(message))],
        ]
        return answer.encoded()
    }
}
