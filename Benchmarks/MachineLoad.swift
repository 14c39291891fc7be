// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// How much of the machine other programs used while this one ran; readers of the results must know it.
struct MachineLoad {
    private let busyAtStart = MachineLoad.busySeconds()
    private let ownAtStart = ThreadTime.process()
    private let start = ThreadTime.wall()

    /// From 0 to 1, of all processors; `nil` if the system does not report it.
    func othersShare() -> Double? {
        guard let busyAtStart, let busy = Self.busySeconds() else { return nil }
        let others = busy - busyAtStart - (ThreadTime.process() - ownAtStart)
        let available = (ThreadTime.wall() - start) * Double(ProcessInfo.processInfo.activeProcessorCount)
        return min(max(others / available, 0), 1)
    }

    /// Seconds that all processors together were busy: user, nice, system, irq, softirq and steal.
    private static func busySeconds() -> Double? {
        guard let stat = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
            let line = stat.split(separator: "\n").first
        else { return nil }
        let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        guard ticks.count == 8 else { return nil }
        return (ticks.reduce(0, +) - ticks[3] - ticks[4]) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
