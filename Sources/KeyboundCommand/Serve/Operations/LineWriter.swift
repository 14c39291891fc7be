// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Writes lines in order on its own thread, so that request handling never waits for a disk or for the reader of a
/// pipe.
final class LineWriter: Sendable {
    private struct Waiting {
        var bytes: [UInt8] = []
        var isBeingWritten = false
        /// Whether the last line that was written has no end.
        var isTorn = false
        var lost = 0
    }

    private static let lineBreak = UInt8(ascii: "\n")

    private let capacity: Int
    private let queue = DispatchQueue(label: "keybound.lines")
    private let waiting = Mutex(Waiting())
    private let output: @Sendable ([UInt8]) -> Int

    /// Makes a writer.
    ///
    /// - Parameters:
    ///   - capacity: How many bytes may wait; further lines are dropped and counted.
    ///   - output: Writes bytes, and returns how many it wrote; may block. Lines that it does not write completely, for
    ///     example because the disk is full, are counted as lost.
    init(capacity: Int = 8 << 20, output: @escaping @Sendable ([UInt8]) -> Int) {
        self.capacity = capacity
        self.output = output
    }

    /// How many lines were dropped, or could not be written.
    var lostLines: Int { waiting.withLock { $0.lost } }

    /// Queues a line, without its line break.
    func write(_ line: [UInt8]) {
        let isFirst = waiting.withLock { waiting in
            guard waiting.bytes.count + line.count < capacity else {
                waiting.lost += 1
                return false
            }
            waiting.bytes += line
            waiting.bytes.append(Self.lineBreak)
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
        while let (lines, isAfterTornLine) = next() {
            // Otherwise its first line would go on where the torn one ends, and neither could be read.
            let bytes = isAfterTornLine ? [Self.lineBreak] + lines : lines
            let written = output(bytes)
            if written < bytes.count { countLost(bytes, after: max(written, 0), isAfterTornLine) }
        }
    }

    private func countLost(_ bytes: [UInt8], after written: Int, _ isAfterTornLine: Bool) {
        let ends = bytes[written...].count { $0 == Self.lineBreak }
        let isNothingWritten = written == 0
        waiting.withLock { waiting in
            // The line break in front ends no line of its own.
            waiting.lost += isAfterTornLine && isNothingWritten ? ends - 1 : ends
            waiting.isTorn = isNothingWritten ? isAfterTornLine : bytes[written - 1] != Self.lineBreak
        }
    }

    private func next() -> (lines: [UInt8], isAfterTornLine: Bool)? {
        waiting.withLock { waiting in
            guard !waiting.bytes.isEmpty else {
                waiting.isBeingWritten = false
                return nil
            }
            defer { (waiting.bytes, waiting.isTorn) = ([], false) }
            return (waiting.bytes, waiting.isTorn)
        }
    }
}
