// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem

/// The body of a running request, on the thread of the loop.
final class CurlUpload {
    /// The source of the bytes.
    enum Source: Sendable {
        case bytes([UInt8])
        case file(RegularFile)
        /// A stream that can be read once, with its length in bytes if the app gives it.
        case stream(BodyStreamReader, length: Int?)

        /// Whether the body is empty and cannot grow.
        var isNone: Bool {
            if case .bytes(let bytes) = self { return bytes.isEmpty }
            return false
        }
    }

    /// The length of the body, in bytes; `nil` when it is unknown.
    let length: Int?
    private let source: Source
    /// How many bytes were taken.
    private var offset = 0
    private let isRepeatable: Bool

    init(_ request: CurlRequest, onMore: @escaping @Sendable () -> Void) {
        isRepeatable = request.isRepeatable
        source = request.body
        switch source {
        case .bytes(let bytes): length = bytes.count
        case .file(let file): length = file.size
        case .stream(let pump, let length):
            self.length = length
            pump.start(onMore: onMore)
        }
    }

    /// Takes the next piece, at most `maximum` bytes.
    ///
    /// A body that is longer or shorter than its `Content-Length` would turn its rest into another request, or another
    /// request into its rest (RFC 9112 section 6.3).
    func take(_ maximum: Int) -> BodyStreamReader.Piece {
        let rest = length.map { $0 - offset }
        guard rest != 0 else { return .end }
        switch next(maximum, rest: rest ?? .max) {
        case .bytes(let piece) where piece.count <= rest ?? .max:
            offset += piece.count
            return .bytes(piece)
        case .later: return .later
        case .end where rest == nil: return .end
        default: return .failure
        }
    }

    private func next(_ maximum: Int, rest: Int) -> BodyStreamReader.Piece {
        switch source {
        case .bytes(let bytes): return .bytes(Array(bytes[offset..<offset + min(maximum, rest)]))
        case .file(let file):
            // The length from when the file was opened.
            guard let piece = file.read(at: offset, upTo: min(maximum, rest)) else { return .failure }
            return piece.isEmpty ? .end : .bytes(piece)
        case .stream(let pump, _): return pump.take(maximum)
        }
    }

    /// Moves to an offset, if the body can be sent again.
    func seek(to offset: Int) -> Bool {
        guard isRepeatable, offset >= 0, offset <= length ?? 0 else { return false }
        if case .stream = source { return false }
        self.offset = offset
        return true
    }

    /// Stops reading a stream.
    func close() {
        if case .stream(let pump, _) = source { pump.stop() }
    }
}
#endif
