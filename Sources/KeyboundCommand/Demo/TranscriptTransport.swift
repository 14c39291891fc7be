// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthTransport
import Synchronization

/// The app's transport, instrumented: shows requests and responses, and lets an attacker intercept a request.
final class TranscriptTransport: ClientTransport {
    private struct State {
        var stealsNext = false
        var seen: [HTTPRequest] = []
        var stolen: HTTPRequest?
    }

    private let base = PlatformTransport()
    private let transcript: Transcript
    private let state = Mutex(State())

    init(_ transcript: Transcript) {
        self.transcript = transcript
    }

    /// The newest request that reached an API, with its token and proof.
    var lastCall: HTTPRequest? { state.withLock { $0.seen.last } }

    /// Intercepts the next request to an API before it arrives; ``stolenRequest`` holds it then.
    func stealNextCall() {
        state.withLock { $0.stealsNext = true }
    }

    /// The intercepted request.
    var stolenRequest: HTTPRequest? { state.withLock { $0.stolen } }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        show(request)
        return try await answer(to: request, maximumBodySize)
    }

    func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse {
        let isStolen = state.withLock { state in
            state.seen.append(request)
            guard state.stealsNext else { return false }
            state.stealsNext = false
            state.stolen = request
            return true
        }
        show(request)
        guard !isStolen else { throw OAuthCoreError(.transportFailed, "the request did not arrive") }
        // Whole, since it is shown before the app has it.
        return StreamedResponse(try await answer(to: request, maximumResponseSize))
    }

    private func answer(
        to request: HTTPRequest,
        _ maximumBodySize: Int
    ) async throws(OAuthCoreError) -> HTTPResponse {
        let response = try await base.send(request, maximumBodySize: maximumBodySize)
        transcript.received(
            ExchangeDescription.line(of: response),
            isRejection: response.status >= 400,
            details: ExchangeDescription.details(of: response)
        )
        return response
    }

    private func show(_ request: HTTPRequest) {
        transcript.sent(ExchangeDescription.line(of: request), details: ExchangeDescription.details(of: request))
    }
}
