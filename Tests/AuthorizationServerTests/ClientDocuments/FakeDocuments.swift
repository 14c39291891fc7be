// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import StrictJSON
import Synchronization

/// The web as the server sees it that fetches metadata documents: what each URL answers, and what was asked.
final class FakeDocuments: HTTPTransport {
    enum Answer: Sendable {
        case response(HTTPResponse)
        case failure
        /// No connection, so that nothing was sent.
        case noConnection
        /// Nothing, until the caller gives up.
        case silence
    }

    private struct State {
        var answers: [String: Answer] = [:]
        var requests: [HTTPRequest] = []
        var delay: Duration?
    }

    private let state = Mutex(State())

    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// How long each answer takes.
    var delay: Duration? {
        get { state.withLock { $0.delay } }
        set { state.withLock { $0.delay = newValue } }
    }

    func answer(_ url: String, _ answer: Answer) {
        state.withLock { $0.answers[url] = answer }
    }

    /// Publishes a document.
    func publish(_ url: String, _ object: JSONObject, fields: HTTPFields = ["Content-Type": "application/json"]) {
        answer(url, .response(HTTPResponse(status: 200, fields: fields, body: JSONValue.object(object).encoded())))
    }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers[request.target]
        }
        if let delay { try? await Task.sleep(for: delay) }
        switch answer {
        case .response(let response):
            guard response.body.count <= maximumBodySize else {
                throw OAuthCoreError(.transportFailed, "the response is too large")
            }
            return response
        case .silence:
            do {
                try await Task.sleep(for: .seconds(600))
            } catch {
                throw OAuthCoreError(.cancelled, "given up")
            }
            throw OAuthCoreError(.transportFailed, "silence")
        case .failure: throw OAuthCoreError(.transportFailed, "the address is none that requests are sent to")
        case .noConnection: throw OAuthCoreError(.transportFailed, "the connection was refused", wasSent: false)
        case nil: return HTTPResponse(status: 404)
        }
    }
}
