// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Synchronization

/// Reads a body stream on a thread of its own, so that a stream that has nothing yet keeps nobody else waiting.
final class BodyPump: Sendable {
    /// What there is to send.
    enum Piece: Equatable {
        case bytes([UInt8])
        /// Nothing yet; the pump says when there is something.
        case later
        case end
        case failure
    }

    private struct State {
        var waiting: [UInt8] = []
        var isOver = false
        var hasFailed = false
        var onMore: (@Sendable () -> Void)?
    }

    /// So much is read ahead, in bytes.
    private static let pieceSize = 65_536

    private let state = Mutex(State())
    /// Signalled when what was read has been taken, or the pump is to stop.
    private let room = DispatchSemaphore(value: 0)
    // The stream is used by the thread of the pump alone, which is started once.
    private nonisolated(unsafe) let stream: InputStream

    init(_ stream: InputStream) {
        unsafe self.stream = stream
    }

    /// Starts to read.
    ///
    /// - Parameter onMore: Is told, on another thread, that there is more after there was nothing.
    func start(onMore: @escaping @Sendable () -> Void) {
        state.withLock { $0.onMore = onMore }
        Thread.detachNewThread { self.run() }
    }

    /// Takes what was read, so much at most.
    func take(_ maximum: Int) -> Piece {
        let (piece, isEmpty) = state.withLock { state -> (Piece, Bool) in
            if state.hasFailed { return (.failure, false) }
            guard !state.waiting.isEmpty else { return (state.isOver ? .end : .later, false) }
            let piece = Array(state.waiting.prefix(maximum))
            state.waiting.removeFirst(piece.count)
            return (.bytes(piece), state.waiting.isEmpty)
        }
        if isEmpty { room.signal() }
        return piece
    }

    /// Ends the reading; what was read is not needed any more.
    func stop() {
        state.withLock { state in
            state.isOver = true
            state.onMore = nil
        }
        room.signal()
    }

    private func run() {
        unsafe stream.open()
        defer { unsafe stream.close() }
        while true {
            var piece = [UInt8](repeating: 0, count: Self.pieceSize)
            let count = unsafe stream.read(&piece, maxLength: piece.count)
            let onMore = state.withLock { state -> (@Sendable () -> Void)? in
                guard !state.isOver else { return nil }
                if count > 0 { state.waiting += piece.prefix(count) }
                state.isOver = count <= 0
                state.hasFailed = count < 0
                return state.onMore
            }
            guard let onMore else { return }
            onMore()
            guard count > 0 else { return }
            room.wait()
            guard !state.withLock({ $0.isOver }) else { return }
        }
    }
}
#endif
