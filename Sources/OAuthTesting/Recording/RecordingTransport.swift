// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore
public import OAuthTransport
import StrictJSON
import Synchronization

/// A transport that records its requests and responses.
///
/// Every request goes through ``send(_:maximumBodySize:)``: bodies are in memory, and a request with a body stream is
/// rejected. An exchange prints without its secrets; ``recordingWithSecretsInClear()`` writes all of them for a
/// ``PlaybackTransport``.
public final class RecordingTransport: ClientTransport {
    private struct State {
        var exchanges: [RecordedExchange] = []
        var count = 0
    }

    private let base: any ClientTransport
    private let state = Mutex(State())

    /// Wraps a transport.
    ///
    /// - Parameter base: The transport that sends the requests.
    public init(_ base: any ClientTransport) {
        self.base = base
    }

    /// Whether the wrapped transport presents a client certificate.
    public var presentsClientCertificate: Bool { base.presentsClientCertificate }

    /// The recorded exchanges, in the order in which requests were sent.
    public var exchanges: [RecordedExchange] { state.withLock { $0.exchanges } }

    /// Deletes the recorded exchanges.
    ///
    /// Requests in progress are not recorded any more.
    public func removeAll() {
        state.withLock { $0.exchanges.removeAll() }
    }

    /// Sends a request, and records it with its response.
    ///
    /// - Parameters:
    ///   - request: The request with an absolute-form target.
    ///   - maximumBodySize: The maximum size of the response body in bytes.
    /// - Returns: The response, whatever its status.
    /// - Throws: What the wrapped transport throws.
    public func send(
        _ request: HTTPRequest,
        maximumBodySize: Int
    ) async throws(OAuthCoreError) -> HTTPResponse {
        let exchange = begin(request)
        do {
            let response = try await base.send(request, maximumBodySize: maximumBodySize)
            replace(exchange.answered(by: response))
            return response
        } catch {
            replace(exchange.failed(as: error.code))
            throw error
        }
    }

    /// All completed exchanges, with every token, code, password and cookie in clear.
    ///
    /// For a test that plays it back. It is as secret as its contents: never commit the recording of a real server.
    ///
    /// - Returns: JSON in UTF-8: an array with one object for each exchange.
    public func recordingWithSecretsInClear() -> [UInt8] {
        JSONValue.array(exchanges.filter(\.isOver).map(\.jsonWithSecretsInClear)).encoded()
    }

    private func begin(_ request: HTTPRequest) -> RecordedExchange {
        state.withLock { state in
            let exchange = RecordedExchange(id: state.count, request)
            state.exchanges.append(exchange)
            state.count += 1
            return exchange
        }
    }

    private func replace(_ exchange: RecordedExchange) {
        state.withLock { state in
            guard let index = state.exchanges.firstIndex(where: { $0.id == exchange.id }) else { return }
            state.exchanges[index] = exchange
        }
    }
}
