// SPDX-License-Identifier: Apache-2.0

/// The reference for the documentation, generated from the declarations that parser and help use.
enum MarkdownReference {
    /// `docs/cli.md`.
    static func commands() -> String {
        var parts = [
            "# The keybound command",
            "This page is written by `keybound help --markdown`; a test compares them.",
            HelpConventions.paragraphs.joined(separator: "\n\n"),
            "## Exit codes",
            "| code | meaning |\n|---|---|\n"
                + ExitCode.allCases.map { "| \($0.rawValue) | \($0.meaning) |" }.joined(separator: "\n"),
        ]
        for section in CommandTable.sections {
            parts.append("## \(section.title)")
            parts += section.commands.map { command($0.syntax) }
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func command(_ syntax: CommandSyntax) -> String {
        var parts = [
            "### \(syntax.name)",
            HelpText.sentence(syntax.summary),
            "```sh\n\(syntax.usage)\n```",
        ]
        parts += syntax.details.map(escape)
        if !syntax.operands.isEmpty {
            parts.append(table("operand", syntax.operands.map { ($0.name, $0.help) }))
        }
        parts.append(table("option", syntax.ownOptions.map { ($0.usage, $0.help + HelpText.repetition($0)) }))
        let examples = syntax.examples.map { "# \($0.purpose)\n\($0.line)" }.joined(separator: "\n")
        parts.append("```sh\n\(examples)\n```")
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    static func table(_ title: String, _ rows: [(String, String)]) -> String {
        guard !rows.isEmpty else { return "" }
        let lines = rows.map { "| `\($0.0)` | \(escape($0.1)) |" }
        return "| \(title) | meaning |\n|---|---|\n" + lines.joined(separator: "\n")
    }

    private static func escape(_ text: String) -> String {
        text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
            .split(separator: "<", omittingEmptySubsequences: false).joined(separator: "&lt;")
    }
}
