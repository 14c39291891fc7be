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
    func waits(
        after error: OAuthClientError,
        _ call: ProtectedCall,
        _ state: inout CallState
    ) async throws(OAuthClientError)
        -> Bool
    {
        guard error.code == .transportFailed, !error.mayHaveBeenProcessed || call.isRepeatable else { return false }
        return try await waits(asked: nil, call, &state)
    }

    /// Waits until a call may be sent again after a response.
    ///
    /// - Returns: Whether it may.
    /// - Throws: ``OAuthClientError/Code/cancelled``.
    func waits(
        after response: StreamedResponse,
        _ call: ProtectedCall,
        _ state: inout CallState
    ) async throws(OAuthClientError)
        -> Bool
    {
        guard RetryPolicy.isPassing(response.status), call.isRepeatable else { return false }
        let head = HTTPResponse(status: response.status, fields: response.fields, body: [])
        return try await waits(asked: FailedResponse(head).retryAfter, call, &state)
    }

    private func waits(
        asked: Duration?,
        _ call: ProtectedCall,
        _ state: inout CallState
    ) async throws(OAuthClientError) -> Bool {
        let random = client.entropy.bytes(2).reduce(0) { $0 * 256 + Double($1) } / 65_535
        guard call.hasReplayableBody,
            let wait = client.configuration.retries.wait(after: state.attempts, asked: asked, fraction: random),
            client.retryBudget.take()
        else { return false }
        do {
            try await client.sleeper.sleep(for: wait)
        } catch {
            throw OAuthClientError(.cancelled, "the task was cancelled")
        }
        return true
    }
}
