// SPDX-License-Identifier: Apache-2.0

/// The name, arguments and help of a command, used by parser, help and reference.
struct CommandSyntax: Sendable {
    /// A useful command line and its purpose.
    struct Example: Sendable {
        let purpose: String
        let line: String

        init(_ purpose: String, _ line: String) {
            self.purpose = purpose
            self.line = line
        }
    }

    /// The words after `keybound`.
    let words: [String]
    /// One line in lower case, without a full stop.
    let summary: String
    /// Paragraphs of what a reader must know beyond the options.
    let details: [String]
    let operands: [Operand]
    /// The options of this command only, in the order of the help.
    let ownOptions: [Option]
    let examples: [Example]

    init(
        _ words: String,
        _ summary: String,
        details: [String] = [],
        operands: [Operand] = [],
        options: [Option] = [],
        examples: [Example]
    ) {
        self.words = words.split(separator: " ").map(String.init)
        self.summary = summary
        self.details = details
        self.operands = operands
        ownOptions = options
        self.examples = examples
    }

    /// The name as it is typed: `keybound proof verify`.
    var name: String { (["keybound"] + words).joined(separator: " ") }

    /// All options, including those of every command.
    var options: [Option] { ownOptions + [.quiet, .help] }

    /// The line that shows how to call it.
    var usage: String {
        ([name, "[OPTIONS]"] + operands.map(\.usage)).joined(separator: " ")
    }
}
