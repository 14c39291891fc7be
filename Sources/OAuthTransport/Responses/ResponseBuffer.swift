// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import Synchronization

/// The received and unread bytes of a body, for one reader.
final class ResponseBuffer: Sendable {
    private typealias Reader = CheckedContinuation<[UInt8]?, any Error>

    private struct State {
        var waiting: [UInt8] = []
        var end: Result<[UInt8]?, any Error>?
        var reader: Reader?
        /// Whether data was rejected until there is space.
        var hasPutOff = false

        mutating func takeReader() -> Reader? {
            defer { reader = nil }
            return reader
        }
    }

    private let state = Mutex(State())
    private let maximumSize: Int
    private let onRoom: @Sendable () -> Void

    /// Makes a buffer.
    ///
    /// - Parameters:
    ///   - maximumSize: The maximum number of unread bytes.
    ///   - onRoom: Called when there is space again after data was rejected.
    init(maximumSize: Int, onRoom: @escaping @Sendable () -> Void = {}) {
        self.maximumSize = maximumSize
        self.onRoom = onRoom
    }

    /// Takes received data, unless there is too much unread data.
    ///
    /// - Parameter data: The received data.
    /// - Returns: Whether it was taken. If not, ``onRoom`` reports when to offer it again.
    func offer(_ data: [UInt8]) -> Bool {
        let hasRoom = state.withLock { state in
            let hasRoom = state.waiting.isEmpty || data.count <= maximumSize - state.waiting.count
            state.hasPutOff = !hasRoom
            return hasRoom
        }
        // Only one thread fills a buffer: the space is still available now.
        if hasRoom { _ = append(data) }
        return hasRoom
    }

    /// Takes received data.
    ///
    /// - Returns: Whether more is wanted.
    func append(_ data: [UInt8]) -> Bool {
        let (reader, isWanted) = state.withLock { state -> (Reader?, Bool) in
            guard state.end == nil else { return (nil, false) }
            guard data.count <= maximumSize - state.waiting.count else {
                let reason = "more than \(maximumSize) bytes of the response came at once"
                state.waiting = []
                state.end = .failure(OAuthCoreError(.transportFailed, reason))
                return (state.takeReader(), false)
            }
            state.waiting += data
            return (state.takeReader(), true)
        }
        if let reader { give(to: reader) }
        return isWanted
    }

    /// Stores the end of the body; only the first one counts.
    func finish(_ error: (any Error)? = nil) {
        let reader = state.withLock { state in
            if state.end == nil { state.end = error.map { .failure($0) } ?? .success(nil) }
            return state.takeReader()
        }
        if let reader { give(to: reader) }
    }

    /// Waits for the next piece.
    ///
    /// - Returns: All unread bytes; `nil` at the end.
    func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { give(to: $0) }
        } onCancel: {
            finish(OAuthCoreError(.cancelled, "the request was cancelled"))
        }
    }

    /// Passes the unread bytes to a reader, or keeps the reader until there are some.
    private func give(to reader: Reader) {
        let (answer, earlier, hasRoom) = state.withLock { state -> (Result<[UInt8]?, any Error>?, Reader?, Bool) in
            if !state.waiting.isEmpty {
                defer { (state.waiting, state.hasPutOff) = ([], false) }
                return (.success(state.waiting), nil, state.hasPutOff)
            }
            if let end = state.end { return (end, nil, false) }
            defer { state.reader = reader }
            return (nil, state.takeReader(), false)
        }
        if let answer { reader.resume(with: answer) }
        // Two readers would each get a part of the body: the first one gets nothing.
        earlier?.resume(returning: nil)
        if hasRoom { onRoom() }
    }
}
