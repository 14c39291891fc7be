// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore
import OAuthSystem
public import OAuthTransport
import StrictJSON
import Synchronization

/// A transport that plays back the responses of a ``RecordingTransport``.
///
/// Each exchange is used once: the first unused one with the method and target (including the query) of the request. So
/// the requests must be those of the recording. They are for a client with the same ``DeterministicEntropy``,
/// ``DeterministicKeyStore`` and ``TestClock``. Proofs differ in their signatures, and are not compared.
public final class PlaybackTransport: ClientTransport {
    private let rest: Mutex<[RecordedExchange]>

    /// Reads a recording.
    ///
    /// - Parameter recording: The result of ``RecordingTransport/recordingWithSecretsInClear()``, at most 64 MiB.
    /// - Throws: ``OAuthTestingError/Code/malformedRecording``.
    public init(_ recording: [UInt8]) throws(OAuthTestingError) {
        let limits = JSONLimits(maximumSize: 64 << 20)
        guard let array = (try? JSONValue(parsing: recording, limits: limits))?.arrayValue else {
            throw RecordedExchange.malformed
        }
        var exchanges: [RecordedExchange] = []
        for (id, json) in array.enumerated() { exchanges.append(try RecordedExchange(id: id, parsing: json)) }
        rest = Mutex(exchanges)
    }

    /// The unused exchanges: empty at the end of a test that sent all requests.
    public var remaining: [RecordedExchange] { rest.withLock { $0 } }

    /// Returns the recorded response.
    ///
    /// - Parameters:
    ///   - request: The request with an absolute-form target.
    ///   - maximumBodySize: The maximum size of the response body in bytes.
    /// - Returns: The response.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed`` if that was recorded, or nothing was.
    public func send(
        _ request: HTTPRequest,
        maximumBodySize: Int
    ) async throws(OAuthCoreError) -> HTTPResponse {
        guard let exchange = take(request) else {
            let what = "\(request.method) \(request.path)"
            throw OAuthCoreError(
                .transportFailed,
                "the recording has no \(what) like this, or no more"
            )
        }
        guard let response = exchange.responseWithSecretsInClear else {
            throw OAuthCoreError(.transportFailed, "the request failed when it was recorded")
        }
        guard response.body.count <= maximumBodySize else {
            throw OAuthCoreError(.transportFailed, "the response is larger than \(maximumBodySize) bytes")
        }
        return response
    }

    private func take(_ request: HTTPRequest) -> RecordedExchange? {
        rest.withLock { rest in
            let index = rest.firstIndex { exchange in
                let recorded = exchange.requestWithSecretsInClear
                return recorded.method == request.method && recorded.target.isIdentical(to: request.target)
            }
            return index.map { rest.remove(at: $0) }
        }
    }
}
