// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Writes whole lines to standard output, in order and on a thread of its own; whoever writes waits until the reader has room.
final class LineOutput: Sendable {
    private let queue = DispatchQueue(label: "keybound.output")

    /// Writes a line, and waits until it is written.
    ///
    /// - Parameter line: The line, without its line break.
    func write(_ line: [UInt8]) async {
        await withCheckedContinuation { continuation in
            queue.async {
                StandardStream.output.write(line + [0x0A])
                continuation.resume()
            }
        }
    }
}
