// SPDX-License-Identifier: Apache-2.0

/// Which bodies are read before a response is handed on.
///
/// Some APIs say only in the body what they demand. A body is read if it is short and says how long it is.
enum ErrorBodies {
    /// The maximum size, in bytes.
    static let maximumSize = 65_536

    /// Whether to read a body.
    static func reads(status: Int, length: Int64?) -> Bool {
        guard status == 400 || status == 401, let length else { return false }
        return length <= Int64(maximumSize)
    }
}
