// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Restricts the whole program to one processor.
///
/// Otherwise tasks that wait for each other move between processors together with their data. That takes time that
/// belongs to neither side of a single-core comparison.
enum OneProcessor {
    /// Runs a function with all threads on the last of the available processors; afterwards they may use all again.
    ///
    /// - Returns: What the function returns.
    /// - Throws: What it throws, or an error if `taskset` is missing or fails.
    @MainActor
    static func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        // "pid 7's current affinity list: 0-2,4"
        let all = try taskset().split(separator: " ").last.map { $0.trimmingCharacters(in: .newlines) } ?? ""
        guard let last = all.split(whereSeparator: { $0 == "," || $0 == "-" }).last else {
            throw BenchmarkError("taskset does not say which processors there are")
        }
        _ = try taskset(String(last))
        do {
            let value = try await body()
            _ = try taskset(all)
            return value
        } catch {
            _ = try taskset(all)
            throw error
        }
    }

    /// Sets the processors that all threads of the program may use, if any are given.
    ///
    /// - Returns: The output of the command.
    private static func taskset(_ processors: String? = nil) throws -> String {
        let (command, output) = (Process(), Pipe())
        command.executableURL = URL(fileURLWithPath: "/usr/bin/taskset")
        let own = "\(ProcessInfo.processInfo.processIdentifier)"
        command.arguments = ["-c", "-p"] + (processors.map { ["-a", $0, own] } ?? [own])
        command.standardOutput = output
        try command.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        command.waitUntilExit()
        guard command.terminationStatus == 0 else { throw BenchmarkError("taskset failed") }
        return String(decoding: text, as: UTF8.self)
    }
}
