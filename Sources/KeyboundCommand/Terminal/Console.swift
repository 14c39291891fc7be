// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// The output of a command: results to standard output, remarks to standard error.
struct Console: Sendable {
    /// For what is printed as a result.
    let style: TerminalStyle
    let isQuiet: Bool
    private let results: StandardStream

    /// - Parameters:
    ///   - arguments: Those of the command.
    ///   - results: Where results go: to standard error, if standard output belongs to another program.
    init(_ arguments: ParsedArguments, resultsTo results: StandardStream = .output) {
        isQuiet = arguments.has(.quiet)
        style = TerminalStyle(for: results)
        self.results = results
    }

    /// Prints a line of the result; pass untrusted text through ``SafeText`` first.
    func print(_ line: String) {
        results.write(line + "\n")
    }

    /// Prints a result for a script.
    func printJSON(_ value: JSONValue) {
        results.write(IndentedJSON.text(of: value) + "\n")
    }

    /// Prints a remark.
    func note(_ line: String) {
        guard !isQuiet else { return }
        StandardStream.error.write(SafeText.of(line) + "\n")
    }

    /// Prints a warning that the user should act on; `--quiet` does not suppress it.
    func warn(_ line: String) {
        Self.warn(line)
    }

    /// Prints a warning from what has no console of its own.
    static func warn(_ line: String) {
        let style = TerminalStyle(for: .error)
        StandardStream.error.write("\(style.bold("warning:")) \(SafeText.of(line))\n")
    }
}
