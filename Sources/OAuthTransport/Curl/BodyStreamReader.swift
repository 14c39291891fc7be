// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// Reads a body stream ahead of the thread of the loop, so that a stream that has nothing yet keeps nobody else waiting.
final class BodyStreamReader: Sendable {
    /// What there is to send.
    enum Piece: Equatable {
        case bytes([UInt8])
        /// Nothing yet; the pump says when there is something.
        case later
        case end
        case failure
    }

    private struct State {
        var waiting: ArraySlice<UInt8> = []
        var isOver = false
        var hasFailed = false
        var onMore: (@Sendable () -> Void)?
        /// What reads the next piece, until it was read.
        var reading: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let stream: RequestBodyStream

    init(_ stream: RequestBodyStream) {
        self.stream = stream
    }

    /// Starts to read.
    ///
    /// - Parameter onMore: Is told, on another thread, that there is more after there was nothing.
    func start(onMore: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.onMore = onMore
            read(&state)
        }
    }

    /// Takes what was read, so much at most.
    func take(_ maximum: Int) -> Piece {
        state.withLock { state in
            if state.hasFailed { return .failure }
            guard !state.waiting.isEmpty else { return state.isOver ? .end : .later }
            let piece = state.waiting.prefix(maximum)
            state.waiting = state.waiting.dropFirst(piece.count)
            if state.waiting.isEmpty { read(&state) }
            return .bytes(Array(piece))
        }
    }

    /// Ends the reading; what was read is not needed any more.
    func stop() {
        let reading = state.withLock { state in
            state.isOver = true
            state.onMore = nil
            return state.reading
        }
        reading?.cancel()
    }

    /// Has the next piece read, one at a time.
    private func read(_ state: inout State) {
        guard !state.isOver else { return }
        state.reading = Task {
            let piece: Result<[UInt8]?, any Error>
            do {
                piece = .success(try await stream.next())
            } catch {
                piece = .failure(error)
            }
            take(piece)
        }
    }

    private func take(_ piece: Result<[UInt8]?, any Error>) {
        let onMore = state.withLock { state -> (@Sendable () -> Void)? in
            state.reading = nil
            guard !state.isOver else { return nil }
            switch piece {
            case .success(let bytes?): state.waiting = bytes[...]
            case .success(nil): state.isOver = true
            case .failure: (state.isOver, state.hasFailed) = (true, true)
            }
            return state.onMore
        }
        onMore?()
    }
}
#endif
