// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The lines of standard input, read on a thread of its own, and only as fast as they are asked for.
final class InputLines: Sendable {
    private struct State {
        var splitter: LineSplitter
        var waiting: ArraySlice<InputLine> = []
        var isOver = false
    }

    private let descriptor: CInt
    private let queue = DispatchQueue(label: "keybound.input")
    /// Only the queue uses it.
    private let state: Mutex<State>

    /// - Parameters:
    ///   - descriptor: What is read; by default standard input.
    ///   - maximumSize: The maximum size of a line, in bytes.
    init(descriptor: CInt = 0, maximumSize: Int) {
        self.descriptor = descriptor
        state = Mutex(State(splitter: LineSplitter(maximumSize: maximumSize)))
    }

    /// Waits for the next line; `nil` at the end.
    func next() async -> InputLine? {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: readLine()) }
        }
    }

    private func readLine() -> InputLine? {
        state.withLock { state -> InputLine? in
            while state.waiting.isEmpty, !state.isOver { fill(&state) }
            return state.waiting.popFirst()
        }
    }

    private func fill(_ state: inout State) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = InputFile.readOnce(descriptor, &buffer)
        if count > 0 {
            state.waiting = state.splitter.take(buffer[..<count])[...]
        } else if count < 0, errno == EAGAIN {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&entry, 1, 1000)
        } else if count == 0 || errno != EINTR {
            // What cannot be read any more has ended.
            state.isOver = true
            state.waiting = (state.splitter.end().map { [$0] } ?? [])[...]
        }
    }
}
