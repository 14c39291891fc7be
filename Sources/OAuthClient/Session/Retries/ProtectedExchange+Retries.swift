// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import OAuthTransport

/// Repeats calls after failures that may pass, by the ``RetryPolicy`` of the client.
extension ProtectedExchange {
    /// Waits until a call that got no response may be sent again.
    ///
    /// - Returns: Whether it may.
    /// - Throws: ``OAuthClientError/Code/cancelled``.
    func waitToRepeat(
        after error: OAuthClientError,
        _ call: ProtectedCall,
        _ state: inout CallState
    ) async throws(OAuthClientError) -> Bool {
        guard error.code == .transportFailed, !error.mayHaveBeenProcessed || call.isRepeatable else { return false }
        return try await waitToRepeat(asked: nil, call, &state)
    }

    /// Waits until a call may be sent again after a response.
    ///
    /// - Returns: Whether it may.
    /// - Throws: ``OAuthClientError/Code/cancelled``.
    func waitToRepeat(
        after response: StreamedResponse,
        _ call: ProtectedCall,
        _ state: inout CallState
    ) async throws(OAuthClientError) -> Bool {
        guard RetryPolicy.isPassing(response.status), call.isRepeatable else { return false }
        let head = HTTPResponse(status: response.status, fields: response.fields, body: [])
        return try await waitToRepeat(asked: FailedResponse(head).retryAfter, call, &state)
    }

    private func waitToRepeat(
        asked: Duration?,
        _ call: ProtectedCall,
        _ state: inout CallState
    ) async throws(OAuthClientError) -> Bool {
        guard call.hasReplayableBody,
            let longest = client.configuration.retries.longestWait(after: state.attempts, asked: asked),
            client.retryBudget.take()
        else { return false }
        let repeater = client.repeater
        try await repeater.sleep(asked ?? repeater.randomPart(of: longest))
        state.reported.repeats(because: .unavailable)
        return true
    }
}
