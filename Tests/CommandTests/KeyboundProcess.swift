// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A run of the built command, in a directory and with an environment of its own.
final class KeyboundProcess: Sendable {
    typealias Result = ChildProcess.Result

    /// The command that was built beside the tests.
    static var executable: URL {
        URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("keybound")
    }

    /// What scripts/sanitize sets: a command that was built with a sanitizer reports like the tests do.
    private static var sanitizerSettings: [String: String] {
        let names = ["ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LD_PRELOAD"]
        return ProcessInfo.processInfo.environment.filter { names.contains($0.key) }
    }

    private let child: ChildProcess

    /// Starts it, if wanted through a command of bash that ends with `exec "$@"`: with files open, or with limits.
    init(
        _ arguments: [String],
        input: String = "",
        in directory: TemporaryDirectory,
        environment: [String: String] = [:],
        through command: String? = nil
    ) throws {
        let own = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "XDG_STATE_HOME": directory.path + "/state",
            "HOME": directory.path,
            // A crash says what every thread did.
            "SWIFT_BACKTRACE": "enable=yes,threads=all,color=no,interactive=no",
        ].merging(Self.sanitizerSettings) { $1 }
        let words = (command.map { ["/bin/bash", "-c", $0, "bash"] } ?? []) + [Self.executable.path] + arguments
        child = try ChildProcess(
            words[0],
            Array(words.dropFirst()),
            environment: own.merging(environment) { $1 },
            directory: directory.path,
            input: input
        )
    }

    /// Runs the command to its end.
    static func run(
        _ arguments: [String],
        input: String = "",
        in directory: TemporaryDirectory,
        environment: [String: String] = [:],
        through command: String? = nil
    ) async throws -> Result {
        let process = try KeyboundProcess(
            arguments,
            input: input,
            in: directory,
            environment: environment,
            through: command
        )
        return await process.result()
    }

    /// Waits for the end.
    func result() async -> Result {
        await child.result()
    }

    /// Waits until a line of standard output begins with a text.
    func line(beginningWith prefix: String) async throws -> String {
        for _ in 0..<15_000 {
            let isOver = child.isSilent
            let line = child.outputSoFar.split(separator: "\n").first { $0.hasPrefix(prefix) }
            if let line { return String(line) }
            if isOver { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw NeverSaid(text: prefix, errors: child.errorsSoFar)
    }

    /// Standard error so far.
    var errorsSoFar: String { child.errorsSoFar }

    /// Sends SIGTERM.
    func terminate() {
        child.terminate()
    }

    /// Sends SIGHUP.
    func hangUp() {
        child.hangUp()
    }

    /// Sends SIGKILL.
    func kill() {
        child.kill()
    }

    /// Waits until standard error has a line that begins with a text, after spaces.
    func errorLine(beginningWith prefix: String) async throws -> String {
        for _ in 0..<15_000 {
            let isOver = child.isSilent
            let lines = child.errorsSoFar.split(separator: "\n").dropLast(child.errorsSoFar.hasSuffix("\n") ? 0 : 1)
            let line = lines.lazy.map { $0.trimmingPrefix { $0 == " " } }.first { $0.hasPrefix(prefix) }
            if let line { return String(line) }
            if isOver { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw NeverSaid(text: prefix, errors: child.errorsSoFar)
    }

    struct NeverSaid: Error {
        let text: String
        let errors: String
    }
}
