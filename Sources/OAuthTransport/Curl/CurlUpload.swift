// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import OAuthCore

/// The body of a request while it is sent, on the thread of the loop.
final class CurlUpload {
    private enum Source {
        case bytes([UInt8])
        case file(FileHandle)
        case stream(BodyPump)
    }

    /// How long the body is, in bytes; `nil` when nobody knows.
    let length: Int?
    private let source: Source
    /// How much of it was taken.
    private var offset = 0
    private let isRepeatable: Bool

    init(_ request: CurlRequest, onMore: @escaping @Sendable () -> Void) throws(OAuthCoreError) {
        isRepeatable = request.isRepeatable
        switch request.body {
        case .none:
            length = 0
            source = .bytes([])
        case .bytes(let bytes):
            length = Int(bytes.count)
            source = .bytes(bytes)
        case .file(let path):
            guard let file = FileHandle(forReadingAtPath: path), let end = try? file.seekToEnd(),
                (try? file.seek(toOffset: 0)) != nil
            else { throw OAuthCoreError(.transportFailed, "the file to send cannot be read") }
            length = Int(end)
            source = .file(file)
        case .stream(let pump, let length):
            self.length = length
            source = .stream(pump)
            pump.start(onMore: onMore)
        }
    }

    /// Takes the next piece, so many bytes at most.
    ///
    /// What is longer or shorter than was said would make another request of its rest, or its rest of another request (RFC
    /// 9112 section 6.3).
    func take(_ maximum: Int) -> BodyPump.Piece {
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

    private func next(_ maximum: Int, rest: Int) -> BodyPump.Piece {
        switch source {
        case .bytes(let bytes): return .bytes(Array(bytes[offset..<offset + min(maximum, rest)]))
        case .file(let file):
            // As long as it was when it was opened.
            guard let piece = try? file.read(upToCount: min(maximum, rest)) else { return .failure }
            return piece.isEmpty ? .end : .bytes([UInt8](piece))
        case .stream(let pump): return pump.take(maximum)
        }
    }

    /// Goes to a place in the body, when it may be sent again.
    func seek(to offset: Int) -> Bool {
        guard isRepeatable, offset >= 0, offset <= length ?? 0 else { return false }
        switch source {
        case .bytes: break
        case .file(let file): guard (try? file.seek(toOffset: UInt64(offset))) != nil else { return false }
        case .stream: return false
        }
        self.offset = offset
        return true
    }

    func close() {
        switch source {
        case .bytes: break
        case .file(let file): try? file.close()
        case .stream(let pump): pump.stop()
        }
    }
}
#endif
