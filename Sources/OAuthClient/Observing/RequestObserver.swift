// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

/// Reports requests, with how long they took.
struct RequestObserver: Sendable {
    let clock: any MonotonicClock
    let observer: @Sendable (ClientEvent) -> Void

    /// Sends a request and reports it, also if that fails.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: Its URL, of which only the origin is reported.
    ///   - attempt: What the request is for.
    ///   - status: The status of the response.
    ///   - send: Sends the request.
    /// - Returns: The response.
    /// - Throws: What `send` threw.
    func observed<Response, Failure: Error>(
        _ method: String,
        _ url: String,
        _ attempt: RequestAttempt,
        _ status: (Response) -> Int,
        _ send: () async throws(Failure) -> Response
    ) async throws(Failure) -> Response {
        let start = clock.elapsed()
        do throws(Failure) {
            let response = try await send()
            report(method, url, attempt, status(response), nil, since: start)
            return response
        } catch {
            report(method, url, attempt, nil, (error as? OAuthCoreError)?.code, since: start)
            throw error
        }
    }

    private func report(
        _ method: String,
        _ url: String,
        _ attempt: RequestAttempt,
        _ status: Int?,
        _ failure: OAuthCoreError.Code?,
        since start: Duration
    ) {
        let report = RequestReport(
            purpose: attempt.purpose,
            grantType: attempt.grantType,
            method: method,
            origin: (try? URI(parsing: url))?.origin ?? "",
            attempt: attempt.number,
            retryReason: attempt.reason,
            status: status,
            failure: failure,
            duration: clock.elapsed() - start
        )
        observer(.requestEnded(report))
    }
}
