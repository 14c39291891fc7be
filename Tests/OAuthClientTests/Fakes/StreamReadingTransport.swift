// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthTransport

/// Sends body streams like URLSession does: bytes that were read from one are gone.
struct StreamReadingTransport: ClientTransport {
    let server: FakeServer

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        try await server.send(request, maximumBodySize: maximumBodySize)
    }

    func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse {
        var request = request
        if case .stream = body { request.body = Array("streamed".utf8) }
        return try await server.open(request, body: .inMemory, timeout: timeout)
    }
}
