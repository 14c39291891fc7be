// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// Reads a body stream ahead, outside the thread of the loop, so that a stream without data blocks no other request.
final class BodyStreamReader: Sendable {
    /// The next bytes to send.
    enum Piece: Equatable {
        case bytes([UInt8])
        /// Nothing yet; `onMore` reports when there is something.
        case later
        case end
        case failure
    }

    private struct State {
        var waiting: ArraySlice<UInt8> = []
        var isOver = false
        var hasFailed = false
        var onMore: (@Sendable () -> Void)?
        /// The task that reads the next piece.
        var reading: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let stream: RequestBodyStream

    init(_ stream: RequestBodyStream) {
        self.stream = stream
    }

    /// Starts reading.
    ///
    /// - Parameter onMore: Called on another thread when there is a piece after ``take(_:)`` found none.
    func start(onMore: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.onMore = onMore
            read(&state)
        }
    }

    /// Takes bytes that were read, at most `maximum`.
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

    /// Stops reading; bytes that were read are no longer needed.
    func stop() {
        let reading = state.withLock { state in
            state.isOver = true
            state.onMore = nil
            return state.reading
        }
        reading?.cancel()
    }

    /// Starts reading the next piece, one at a time.
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
