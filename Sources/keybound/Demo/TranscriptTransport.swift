// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

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
        transcript.sent(ExchangeDescription.line(of: request), details: ExchangeDescription.details(of: request))
        let response = try await base.send(request, maximumBodySize: maximumBodySize)
        show(response)
        return response
    }

    func data(for request: URLRequest) async throws(OAuthCoreError) -> (Data, HTTPURLResponse) {
        let value = Self.value(of: request)
        let isStolen = state.withLock { state in
            state.seen.append(value)
            guard state.stealsNext else { return false }
            state.stealsNext = false
            state.stolen = value
            return true
        }
        transcript.sent(ExchangeDescription.line(of: value), details: ExchangeDescription.details(of: value))
        guard !isStolen else { throw OAuthCoreError(.transportFailed, "the request did not arrive") }
        let (data, response) = try await base.data(for: request)
        show(Self.value(of: response, data))
        return (data, response)
    }

    private func show(_ response: HTTPResponse) {
        transcript.received(
            ExchangeDescription.line(of: response),
            isRefusal: response.status >= 400,
            details: ExchangeDescription.details(of: response)
        )
    }

    private static func value(of request: URLRequest) -> HTTPRequest {
        let fields = (request.allHTTPHeaderFields ?? [:]).map { HTTPFields.Field(name: $0.key, value: $0.value) }
        return HTTPRequest(
            method: request.httpMethod ?? "GET",
            target: request.url?.absoluteString ?? "",
            fields: HTTPFields(fields),
            body: request.httpBody.map { [UInt8]($0) } ?? []
        )
    }

    private static func value(of response: HTTPURLResponse, _ data: Data) -> HTTPResponse {
        let fields = response.allHeaderFields.map { HTTPFields.Field(name: "\($0.key)", value: "\($0.value)") }
        return HTTPResponse(status: response.statusCode, fields: HTTPFields(fields), body: [UInt8](data))
    }
}
