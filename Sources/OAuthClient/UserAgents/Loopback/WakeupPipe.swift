// SPDX-License-Identifier: Apache-2.0

/// Ends a wait in `poll` from another thread.
///
/// Both ends of the pipe stay open while either can be used: a write without a reader would end the process.
final class WakeupPipe: Sendable {
    /// Readable after ``wake()`` was called.
    let socket: LoopbackSocket
    private let writing: LoopbackSocket

    init?() {
        guard let pipe = LoopbackSocket.pipe() else { return nil }
        socket = pipe.reading
        writing = pipe.writing
    }

    func wake() {
        writing.signal()
    }
}
