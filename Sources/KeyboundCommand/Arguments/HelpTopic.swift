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

    /// The words that ask for help in place of a command.
    private static let requests = ["help", "--help", "-h"]

    /// Whether the rest of a line is a request for help, and nothing else.
    static func isRequest(_ words: some Collection<String>) -> Bool {
        words.count == 1 && words.allSatisfy { requests.contains($0) }
    }

    /// The page that `keybound help WORDS` asks for.
    static func text(for words: [String]) throws -> String {
        if words == ["--markdown"] { return MarkdownReference.commands() }
        guard let last = words.last, !isRequest(words) else { return HelpText.overview() }
        // `keybound help user --help` asks twice.
        if requests.contains(last) { return try text(for: Array(words.dropLast())) }
        if let topic = HelpTopic(rawValue: words[0]) { return try topic.text(Array(words.dropFirst())) }
        if let command = CommandTable.command(at: words), command.syntax.words.count == words.count {
            return HelpText.of(command.syntax)
        }
        guard CommandTable.group(at: words) == words else {
            throw UnknownWord.inHelp(words, topics: allCases.map(\.rawValue))
        }
        return HelpText.of(words)
    }

    private func text(_ rest: [String]) throws -> String {
        if self == .configuration, rest == ["--markdown"] { return ConfigurationReference.markdown() }
        guard rest.isEmpty else { throw UnknownWord.afterPage(rawValue) }
        return text
    }
}
