// SPDX-License-Identifier: Apache-2.0

/// Why a command failed: one line for the user, and hints about what to do.
struct CommandFailure: Error {
    let exitCode: ExitCode
    /// One sentence in lower case without a final full stop; never a secret.
    let message: String
    /// What to do, as lines of their own.
    let hints: [String]

    init(_ exitCode: ExitCode, _ message: String, hints: [String] = []) {
        self.exitCode = exitCode
        self.message = message
        self.hints = hints
    }

    init(_ exitCode: ExitCode, _ message: String, hint: String) {
        self.init(exitCode, message, hints: [hint])
    }

    /// The same failure, which names first what it is about.
    func about(_ subject: String) -> CommandFailure {
        CommandFailure(exitCode, "\(subject): \(message)", hints: hints)
    }

    /// Invalid arguments: exit code 2.
    static func usage(_ message: String, hint: String? = nil) -> CommandFailure {
        CommandFailure(.usage, message, hints: hint.map { [$0] } ?? [])
    }
}
