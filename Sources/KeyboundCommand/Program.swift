// SPDX-License-Identifier: Apache-2.0

/// The program: finds the command, runs it, reports what went wrong.
enum Program {
    static func run(_ words: [String]) async -> ExitCode {
        StandardStream.ignoreBrokenPipes()
        do {
            switch try Invocation(words) {
            case .print(let text):
                StandardStream.output.write(text)
            case .run(let command, let arguments):
                try await command.run(arguments, Console(arguments))
            }
            // What a script reads, or a secret that is shown once, is lost.
            if let failure = StandardStream.outputFailure { throw failure }
            return .success
        } catch {
            let failure = CommandFailure(describing: error)
            report(failure)
            return failure.exitCode
        }
    }

    private static func report(_ failure: CommandFailure) {
        let style = TerminalStyle(for: .error)
        StandardStream.error.write("\(style.bad("keybound:")) \(SafeText.of(failure.message))\n")
        for hint in failure.hints {
            StandardStream.error.write("\(style.bold("hint:")) \(SafeText.of(hint))\n")
        }
    }
}
