// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthClient
import OAuthCore
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

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

    func data(for request: URLRequest) async throws(OAuthClientError) -> (Data, HTTPURLResponse) {
        let (data, response) = try await base.data(for: request)
        note(request.httpMethod ?? "GET", request.url?.absoluteString ?? "", response.statusCode)
        return (data, response)
    }

    private func note(_ method: String, _ target: String, _ status: Int) {
        let path = (try? URI(parsing: target))?.path ?? target
        notes.withLock { $0.append("\(method) \(path) \(status)") }
    }
}
