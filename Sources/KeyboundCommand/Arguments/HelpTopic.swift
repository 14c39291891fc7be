// SPDX-License-Identifier: Apache-2.0

/// Help pages that do not belong to a single command.
enum HelpTopic: String, CaseIterable {
    case configuration
    case exitCodes = "exit-codes"

    var summary: String {
        switch self {
        case .configuration: "the settings of keybound serve: file, environment, options"
        case .exitCodes: "the exit codes, for scripts"
        }
    }

    private var text: String {
        switch self {
        case .configuration: ConfigurationReference.text()
        case .exitCodes:
            HelpText.table(ExitCode.allCases.map { (String($0.rawValue), $0.meaning) }) + "\n"
        }
    }

    /// The page that `keybound help WORDS` asks for.
    static func text(for words: [String]) throws -> String {
        guard let first = words.first, first != "--help", first != "-h" else { return HelpText.overview() }
        if words == ["--markdown"] { return MarkdownReference.commands() }
        if let topic = HelpTopic(rawValue: first) { return try topic.text(Array(words.dropFirst())) }
        if let command = CommandTable.command(at: words), command.syntax.words.count == words.count {
            return HelpText.of(command.syntax)
        }
        let group = CommandTable.commands.filter { $0.syntax.words.starts(with: words) }
        guard !group.isEmpty else { throw unknown(words) }
        return HelpText.table(group.map { ($0.syntax.words.joined(separator: " "), $0.syntax.summary) }) + "\n"
    }

    private func text(_ rest: [String]) throws -> String {
        if self == .configuration, rest == ["--markdown"] { return ConfigurationReference.markdown() }
        guard rest.isEmpty else { throw Self.unknown([rawValue] + rest) }
        return text
    }

    private static func unknown(_ words: [String]) -> CommandFailure {
        let known = CommandTable.firstWords + allCases.map(\.rawValue)
        let guess = NearestWord.to(words[0], among: known).map { "did you mean keybound help \($0)?" }
        return CommandFailure.usage(
            "there is no help for '\(words.joined(separator: " "))'",
            hint: guess ?? "keybound help lists the commands"
        )
    }
}
