// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends body streams as URLSession does: what was read from one is gone.
struct StreamReadingTransport: ClientTransport {
    let server: FakeServer

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        try await server.send(request, maximumBodySize: maximumBodySize)
    }

    func data(for request: URLRequest) async throws(OAuthCoreError) -> (Data, HTTPURLResponse) {
        var request = request
        if request.httpBodyStream != nil { request.httpBody = Data("streamed".utf8) }
        return try await server.data(for: request)
    }
}
