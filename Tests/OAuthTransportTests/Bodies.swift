// SPDX-License-Identifier: Apache-2.0

import OAuthTransport
import Synchronization

extension RequestBodyStream {
    /// A body of these pieces.
    static func pieces(_ texts: String...) -> RequestBodyStream {
        let rest = Mutex(texts[...])
        return RequestBodyStream { rest.withLock { $0.popFirst() }.map { Array($0.utf8) } }
    }
}

extension ResponseBytes {
    /// Reads the whole body.
    func whole() async throws -> [UInt8] {
        var body: [UInt8] = []
        for try await chunk in chunks { body += chunk }
        return body
    }
}
