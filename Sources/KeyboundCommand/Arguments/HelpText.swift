// SPDX-License-Identifier: Apache-2.0

/// The help of a command, generated from its declaration.
enum HelpText {
    /// Text is wrapped for a terminal of 80 columns.
    private static let width = 78

    static func of(_ syntax: CommandSyntax) -> String {
        var parts = ["Usage: \(syntax.usage)", paragraph(sentence(syntax.summary))]
        parts += syntax.details.map(paragraph)
        if !syntax.operands.isEmpty {
            parts.append("Operands:\n" + table(syntax.operands.map { ($0.name, $0.help) }))
        }
        parts.append("Options:\n" + table(syntax.options.map { ($0.usage, $0.help + repetition($0)) }))
        parts.append("Examples:\n" + syntax.examples.map(example).joined(separator: "\n"))
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The commands of a group, such as `keybound user`.
    static func of(_ group: [String]) -> String {
        let rows = CommandTable.syntaxes(in: group).map { ($0.words.joined(separator: " "), $0.summary) }
        let name = "keybound \(group.joined(separator: " "))"
        return [
            "Usage: \(name) COMMAND [ARGUMENTS]", "Commands:\n" + table(rows),
            paragraph("\(name) COMMAND --help shows the options and examples of a command."),
        ].joined(separator: "\n\n") + "\n"
    }

    static func overview() -> String {
        var parts = [
            "Usage: keybound COMMAND [ARGUMENTS]",
            paragraph("OAuth 2.0 with every token bound to a key: PKCE (RFC 7636) and DPoP (RFC 9449)."),
        ]
        for section in CommandTable.sections {
            let rows = section.commands.map { ($0.syntax.words.joined(separator: " "), $0.syntax.summary) }
            parts.append("\(section.title):\n" + table(rows))
        }
        let topics = HelpTopic.allCases.map { ("help \($0.rawValue)", $0.summary) }
        parts.append("More:\n" + table([("help COMMAND", "options and examples of a command")] + topics))
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// Rows of two columns; the second is wrapped, and starts on a new line after a long first one.
    static func table(_ rows: [(String, String)]) -> String {
        let column = min(rows.map { $0.0.count }.max() ?? 0, 26) + 4
        return rows.map { name, help in
            let lines = wrap(help, to: width - column)
            let indent = String(repeating: " ", count: column)
            let padding = String(repeating: " ", count: max(column - 2 - name.count, 0))
            let first = name.count + 4 <= column ? "  \(name)\(padding)\(lines[0])" : "  \(name)\n\(indent)\(lines[0])"
            return ([first] + lines.dropFirst().map { indent + $0 }).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    static func paragraph(_ text: String) -> String {
        wrap(text, to: width).joined(separator: "\n")
    }

    static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    static func repetition(_ option: Option) -> String {
        option.isRepeatable ? " (may be repeated)" : ""
    }

    private static func example(_ example: CommandSyntax.Example) -> String {
        let lines = example.line.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
        return "  # \(example.purpose)\n\(lines)"
    }

    private static func wrap(_ text: String, to width: Int) -> [String] {
        var lines: [String] = [""]
        for word in text.split(separator: " ") {
            if let last = lines.last, !last.isEmpty {
                if last.count + 1 + word.count <= width {
                    lines[lines.count - 1] = last + " " + word
                } else {
                    lines.append(String(word))
                }
            } else {
                lines[lines.count - 1] = String(word)
            }
        }
        return lines
    }
}
