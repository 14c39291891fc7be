// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import OAuthCore

/// Reads the body stream of an app, where a stream that has nothing yet keeps nobody else waiting.
///
/// It may be shared: the stream is opened and read on its queue alone, piece by piece, and closed when nobody holds this.
final class InputStreamReader: @unchecked Sendable {
    /// What is read at a time, in bytes.
    private static let pieceSize = 65_536

    /// A queue of its own has a thread of its own while it blocks.
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
