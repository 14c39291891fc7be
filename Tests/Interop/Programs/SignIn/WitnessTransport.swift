// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthTransport
import Synchronization

/// The transport, with a witness: which requests were sent and what status came back.
final class WitnessTransport: ClientTransport {
    private let base = PlatformTransport()
    private let notes = Mutex<[String]>([])

    /// What passed since the last time.
    func takeNotes() -> String {
        notes.withLock { notes in
            defer { notes = [] }
            return notes.joined(separator: ", ")
        }
    }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        let response = try await base.send(request, maximumBodySize: maximumBodySize)
        note(request.method, request.target, response.status)
        return response
    }

    func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse {
        let response = try await base.open(request, body: body, timeout: timeout)
        note(request.method, request.target, response.status)
        return response
    }

    private func note(_ method: String, _ target: String, _ status: Int) {
        let path = (try? URI(parsing: target))?.path ?? target
        notes.withLock { $0.append("\(method) \(path) \(status)") }
    }
}
