// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import OAuthTransport

/// Reports every request of a client.
struct ObservedTransport: ClientTransport {
    let base: any ClientTransport
    let observer: RequestObserver

    var presentsClientCertificate: Bool { base.presentsClientCertificate }
    var maximumResponseSize: Int { base.maximumResponseSize }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        try await observer.observed(request.method, request.target, by: .authorizationServer, \.status) {
            () async throws(OAuthCoreError) in
            try await base.send(request, maximumBodySize: maximumBodySize)
        }
    }

    func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse {
        try await observer.observed(request.method, request.target, by: .api, \.status) {
            () async throws(OAuthCoreError) in
            try await base.open(request, body: body, timeout: timeout)
        }
    }
}
