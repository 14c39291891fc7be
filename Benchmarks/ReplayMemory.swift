// SPDX-License-Identifier: Apache-2.0

import DPoP
import Foundation
import Glibc

/// The memory that a replay store takes, seen from outside the allocator, in a process that did nothing before.
enum ReplayMemory {
    /// Bytes for each of so many live entries, measured by this program started anew.
    static func bytesPerEntry(live: Int) throws -> Double {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["--replay-memory", "\(live)"]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, let bytes = Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { throw BenchmarkError("the memory of \(live) entries was not measured") }
        return bytes
    }

    /// What the new process does.
    static func printBytesPerEntry(live: Int) {
        // Small stores side by side, so that pages do not blur the figure.
        let copies = max(1, 1_000_000 / live)
        let before = residentBytes()
        let stores = (0..<copies).map { _ in ReplayRows.filledStore(live: live, more: 0) }
        let after = residentBytes()
        precondition(stores.allSatisfy { $0.count == live })
        print(Double(after - before) / Double(copies * live))
    }

    private static func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
