// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// A response that the listener itself sends, before or instead of the handler's.
struct Rejection: Equatable {
    let status: Int
    let reason: String

    init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    static let bodyTooLarge = Self(413, "the body is too large")
    static let lengthRequired = Self(411, "this server accepts a body only with a Content-Length")
    static let tooSlow = Self(503, "the request took too long")
    static let shuttingDown = Self(503, "the server is shutting down")

    var response: HTTPResponse {
        HTTPResponse(
            status: status,
            fields: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store", "Connection": "close"],
            body: Array((reason + "\n").utf8)
        )
    }
}
