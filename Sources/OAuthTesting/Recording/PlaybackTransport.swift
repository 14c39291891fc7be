// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore
import OAuthSystem
public import OAuthTransport
import StrictJSON
import Synchronization

/// A transport that answers as it was recorded by a ``RecordingTransport``.
///
/// Each exchange answers once: the first one left with the method and the target, query included, of the request. So the
/// requests must be those of the recording, which they are for a client with the same ``DeterministicEntropy``,
/// ``DeterministicKeyStore`` and ``TestClock``. Proofs differ in their signatures, and are not compared.
public final class PlaybackTransport: ClientTransport {
    private let rest: Mutex<[RecordedExchange]>

    /// Reads a recording.
    ///
    /// - Parameter recording: What ``RecordingTransport/recordingWithSecretsInClear()`` wrote, at most 64 MiB.
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

    /// The exchanges that were not asked for yet: none at the end of a test that sent everything.
    public var remaining: [RecordedExchange] { rest.withLock { $0 } }

    /// Answers as it was recorded.
    ///
    /// - Parameters:
    ///   - request: The request with an absolute-form target.
    ///   - maximumBodySize: What the response may hold, in bytes.
    /// - Returns: The response.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed`` when that was recorded, or nothing was.
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
