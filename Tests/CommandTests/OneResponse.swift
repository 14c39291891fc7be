// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import Synchronization

/// The targets of the requests that came, in order.
final class TargetLog: Sendable {
    private let log = Mutex<[String]>([])

    var targets: [String] { log.withLock { $0 } }

    func append(_ target: String) {
        log.withLock { $0.append(target) }
    }
}

/// A network that gives the same answer to every request.
struct OneResponse: HTTPTransport {
    private let response: HTTPResponse
    private let log = TargetLog()

    init(_ response: HTTPResponse) {
        self.response = response
    }

    var targets: [String] { log.targets }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        log.append(request.target)
        return response
    }
}

/// A network that must not be used.
struct NoNetwork: HTTPTransport {
    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        throw OAuthCoreError(.transportFailed, "this must not be sent")
    }
}
