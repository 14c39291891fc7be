// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Asks before something is destroyed that no backup of this command brings back.
enum Confirmation {
    static let yes = Option.flag("--yes", "do not ask whether you mean it")

    /// Asks on the terminal, unless `--yes` is given.
    ///
    /// - Parameters:
    ///   - question: Yes or no, with a question mark.
    ///   - arguments: Those of the command.
    /// - Throws: ``CommandFailure`` with ``ExitCode/usage`` without a terminal, with ``ExitCode/failure`` for any answer
    ///   but y and yes.
    static func obtain(_ question: String, _ arguments: ParsedArguments) throws {
        guard !arguments.has(yes) else { return }
        guard let isConfirmed = answer(question) else {
            throw CommandFailure.usage(
                "this cannot be undone, and there is no terminal to ask: \(question)",
                hint: "--yes goes ahead without asking"
            )
        }
        guard isConfirmed else {
            throw CommandFailure(.failure, "nothing was changed", hint: "--yes goes ahead without asking")
        }
    }

    /// Asks on the terminal.
    ///
    /// - Parameter question: Yes or no, with a question mark.
    /// - Returns: `true` for y and yes, `false` for anything else, `nil` without a terminal, or if nobody may be asked.
    static func answer(_ question: String) -> Bool? {
        guard SecretPrompt.mayAsk, isatty(0) == 1 else { return nil }
        StandardStream.error.write("\(SafeText.of(question)) [y/N] ")
        return readLine().map { ["y", "yes"].contains($0.lowercased()) } ?? false
    }
}
