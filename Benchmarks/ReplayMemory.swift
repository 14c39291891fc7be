// SPDX-License-Identifier: Apache-2.0

import DPoP
import Foundation
import Glibc

/// The memory of a replay store, measured from outside the allocator, in a fresh process.
enum ReplayMemory {
    /// Bytes per live entry, measured by a new process of this program.
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

    /// The work of the new process.
    static func printBytesPerEntry(live: Int) {
        // Several small stores, so that page granularity does not distort the figure.
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
