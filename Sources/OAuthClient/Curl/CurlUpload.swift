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
    private var offset = 0
    /// Whether the body may be sent a second time when a connection that was open before turns out to be gone.
    private let isRepeatable: Bool

    init(_ request: CurlRequest, onMore: @escaping @Sendable () -> Void) throws(OAuthCoreError) {
        // RFC 9110 section 9.2.2: a server may have done already what a POST asks for, and a code or a refresh token that
        // comes twice ends a session.
        isRepeatable = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"].contains(request.method)
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
    func take(_ maximum: Int) -> BodyPump.Piece {
        switch source {
        case .bytes(let bytes):
            guard offset < bytes.count else { return .end }
            let piece = Array(bytes[offset..<min(offset + maximum, bytes.count)])
            offset += piece.count
            return .bytes(piece)
        case .file(let file):
            guard let piece = try? file.read(upToCount: maximum) else { return .failure }
            return piece.isEmpty ? .end : .bytes([UInt8](piece))
        case .stream(let pump): return pump.take(maximum)
        }
    }

    /// Goes to a place in the body, when it may be sent again.
    func seek(to offset: Int) -> Bool {
        guard isRepeatable, offset >= 0, offset <= length ?? 0 else { return false }
        switch source {
        case .bytes: self.offset = Int(offset)
        case .file(let file): return (try? file.seek(toOffset: UInt64(offset))) != nil
        case .stream: return false
        }
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
