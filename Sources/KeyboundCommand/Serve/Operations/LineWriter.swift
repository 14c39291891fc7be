// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Writes lines in order on its own thread, so that request handling never waits for a disk or for the reader of a
/// pipe.
final class LineWriter: Sendable {
    private struct Waiting {
        var bytes: [UInt8] = []
        var isBeingWritten = false
        var lost = 0
    }

    private let capacity: Int
    private let queue = DispatchQueue(label: "keybound.lines")
    private let waiting = Mutex(Waiting())
    private let output: @Sendable ([UInt8]) -> Void

    /// Makes a writer.
    ///
    /// - Parameters:
    ///   - capacity: How many bytes may wait; further lines are dropped and counted.
    ///   - output: Writes bytes; may block.
    init(capacity: Int = 8 << 20, output: @escaping @Sendable ([UInt8]) -> Void) {
        self.capacity = capacity
        self.output = output
    }

    /// How many lines were dropped.
    var lostLines: Int { waiting.withLock { $0.lost } }

    /// Queues a line, without its line break.
    func write(_ line: [UInt8]) {
        let isFirst = waiting.withLock { waiting in
            guard waiting.bytes.count + line.count < capacity else {
                waiting.lost += 1
                return false
            }
            waiting.bytes += line
            waiting.bytes.append(UInt8(ascii: "\n"))
            defer { waiting.isBeingWritten = true }
            return !waiting.isBeingWritten
        }
        if isFirst { queue.async { [self] in writeWaiting() } }
    }

    /// Waits until all queued lines are written.
    func flush() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                writeWaiting()
                continuation.resume()
            }
        }
    }

    private func writeWaiting() {
        while let bytes = next() { output(bytes) }
    }

    private func next() -> [UInt8]? {
        waiting.withLock { waiting in
            guard !waiting.bytes.isEmpty else {
                waiting.isBeingWritten = false
                return nil
            }
            defer { waiting.bytes = [] }
            return waiting.bytes
        }
    }
}
