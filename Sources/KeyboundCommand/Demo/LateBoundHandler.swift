// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Synchronization

/// A handler that is set after its listener started, because the handler needs the port.
final class LateBoundHandler: Sendable {
    typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

    private let handler = Mutex<Handler?>(nil)

    func set(_ handler: @escaping Handler) {
        self.handler.withLock { $0 = handler }
    }

    @Sendable func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard let handler = handler.withLock({ $0 }) else { return HTTPResponse(status: 503) }
        return await handler(request)
    }
}
