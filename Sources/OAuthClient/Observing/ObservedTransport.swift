// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import OAuthTransport

/// Reports every request of a client.
struct ObservedTransport: ClientTransport {
    let base: any ClientTransport
    let clock: any MonotonicClock
    let observer: @Sendable (ClientEvent) -> Void

    var presentsClientCertificate: Bool { base.presentsClientCertificate }
    var maximumResponseSize: Int { base.maximumResponseSize }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        try await observed(request, by: .authorizationServer, Self.status) { () async throws(OAuthCoreError) in
            try await base.send(request, maximumBodySize: maximumBodySize)
        }
    }

    func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse {
        try await observed(request, by: .api, Self.status) { () async throws(OAuthCoreError) in
            try await base.open(request, body: body, timeout: timeout)
        }
    }

    private static func status(_ response: HTTPResponse) -> Int { response.status }
    private static func status(_ response: StreamedResponse) -> Int { response.status }

    private func observed<Response: Sendable>(
        _ request: HTTPRequest,
        by recipient: RequestReport.Recipient,
        _ status: (Response) -> Int,
        _ send: () async throws(OAuthCoreError) -> Response
    ) async throws(OAuthCoreError) -> Response {
        let start = clock.elapsed()
        do throws(OAuthCoreError) {
            let response = try await send()
            report(request, recipient, status(response), nil, since: start)
            return response
        } catch {
            report(request, recipient, nil, error.code, since: start)
            throw error
        }
    }

    private func report(
        _ request: HTTPRequest,
        _ recipient: RequestReport.Recipient,
        _ status: Int?,
        _ failure: OAuthCoreError.Code?,
        since start: Duration
    ) {
        let report = RequestReport(
            recipient: recipient,
            method: request.method,
            origin: (try? URI(parsing: request.target))?.origin ?? "",
            status: status,
            failure: failure,
            duration: clock.elapsed() - start
        )
        observer(.requestEnded(report))
    }
}
