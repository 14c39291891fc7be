// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import OAuthTransport

/// Reports every request of a client.
struct ObservedTransport: ClientTransport {
    let base: any ClientTransport
    let observer: RequestObserver
    /// What the requests are for.
    var attempt = RequestAttempt(.api)

    var presentsClientCertificate: Bool { base.presentsClientCertificate }
    var maximumResponseSize: Int { base.maximumResponseSize }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        try await observer.observed(request.method, request.target, attempt, \.status) {
            () async throws(OAuthCoreError) in
            try await base.send(request, maximumBodySize: maximumBodySize)
        }
    }

    func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse {
        try await observer.observed(request.method, request.target, attempt, \.status) {
            () async throws(OAuthCoreError) in
            try await base.open(request, body: body, timeout: timeout)
        }
    }

    fileprivate func reporting(_ attempt: RequestAttempt) -> Self {
        var copy = self
        copy.attempt = attempt
        return copy
    }
}

extension ClientTransport {
    /// The same transport, whose requests are reported with their purpose if anybody observes them.
    func reporting(_ attempt: RequestAttempt) -> any ClientTransport {
        (self as? ObservedTransport)?.reporting(attempt) ?? self
    }
}

extension HTTPTransport {
    /// The same transport, whose requests are reported with their purpose if anybody observes them.
    func reporting(_ attempt: RequestAttempt) -> any HTTPTransport {
        (self as? ObservedTransport)?.reporting(attempt) ?? self
    }
}
