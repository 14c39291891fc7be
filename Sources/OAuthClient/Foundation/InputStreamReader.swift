// SPDX-License-Identifier: Apache-2.0

#if FoundationAPI || canImport(Darwin)
import Dispatch
import Foundation
import OAuthCore

/// Reads the body stream of an app on its own queue, so that a stream without data blocks no other request.
///
/// It may be shared: the stream is opened and read only on its queue, piece by piece, and closed with the last
/// reference.
final class InputStreamReader: @unchecked Sendable {
    /// The size of one read, in bytes.
    private static let pieceSize = 65_536

    /// A separate dispatch queue: it has its own thread while it blocks.
    private let queue = DispatchQueue(label: "keybound.body-stream")
    private let stream: InputStream

    init(_ stream: InputStream) {
        self.stream = stream
    }

    deinit {
        stream.close()
    }

    /// Waits for the next piece; `nil` at the end.
    func next() async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.read() }) }
        }
    }

    private func read() throws -> [UInt8]? {
        if stream.streamStatus == .notOpen { stream.open() }
        var isGood = true
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, filled in
            guard let start = buffer.baseAddress else { return }
            let count = unsafe stream.read(start, maxLength: buffer.count)
            (isGood, filled) = (count >= 0, max(count, 0))
        }
        guard isGood else { throw OAuthCoreError(.invalidRequest, "the body stream cannot be read") }
        return piece.isEmpty ? nil : piece
    }
}
#endif
