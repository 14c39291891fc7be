// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The resource usage of another process on this machine.
struct ServerProcess {
    let identifier: Int32
    private let clock: clockid_t

    init(identifier: Int32) throws {
        var clock = clockid_t()
        guard unsafe clock_getcpuclockid(identifier, &clock) == 0 else {
            throw BenchmarkError("process \(identifier) cannot be measured")
        }
        (self.identifier, self.clock) = (identifier, clock)
    }

    /// Seconds of processor time of all its threads, including those that ended.
    ///
    /// /proc/PID/stat reports it only in ticks of 10 ms.
    func processorTime() -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Its resident memory in MB (10^6 bytes).
    func residentMegabytes() -> Double {
        let status = (try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap {
            Double($0)
        }
        return (kilobytes ?? 0) * 1024 / 1e6
    }
}
