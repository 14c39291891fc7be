// SPDX-License-Identifier: Apache-2.0

/// What a command line requests.
enum Invocation {
    /// Help or the version: a text to print.
    case print(String)
    /// A command and its arguments.
    case run(any Command.Type, ParsedArguments)

    init(_ words: [String]) throws {
        guard let first = words.first else {
            self = .print(try HelpTopic.text(for: []))
            return
        }
        switch first {
        case "help": self = .print(try HelpTopic.text(for: Array(words.dropFirst())))
        case "--help", "-h": self = .print(try HelpTopic.text(for: []))
        case "--version": self = .print("keybound \(Version.number)\n")
        default: self = try Self.command(words)
        }
    }

    private static func command(_ words: [String]) throws -> Invocation {
        guard let command = CommandTable.command(at: words) else { throw unknown(words) }
        let syntax = command.syntax
        try requireNoMisspelling(words, syntax)
        let arguments = try ArgumentParser.parse(Array(words.dropFirst(syntax.words.count)), for: syntax)
        if arguments.has(.help) { return .print(HelpText.of(syntax)) }
        return .run(command, arguments)
    }

    /// `pkce` is a command and the first word of another: what follows it may be a misspelled second word.
    private static func requireNoMisspelling(_ words: [String], _ syntax: CommandSyntax) throws {
        guard syntax.operands.isEmpty, words.count > syntax.words.count else { return }
        let longer = CommandTable.commands.map { $0.syntax.words }.filter {
            $0.count > syntax.words.count && $0.starts(with: syntax.words)
        }
        let next = words[syntax.words.count]
        guard !next.hasPrefix("-"), let guess = NearestWord.to(next, among: longer.map { $0[syntax.words.count] })
        else { return }
        throw CommandFailure.usage(
            "'\(words.prefix(syntax.words.count + 1).joined(separator: " "))' is not a command",
            hint: "did you mean \(syntax.name) \(guess)?"
        )
    }

    private static func unknown(_ words: [String]) -> CommandFailure {
        let group = CommandTable.commands.filter { $0.syntax.words.first == words[0] }
        guard !group.isEmpty else {
            let guess = NearestWord.to(words[0], among: CommandTable.firstWords)
            return CommandFailure.usage(
                "'\(words[0])' is not a command",
                hint: guess.map { "did you mean keybound \($0)?" } ?? "keybound help lists the commands"
            )
        }
        let names = group.map { $0.syntax.name }.joined(separator: ", ")
        let said = words.count > 1 && !words[1].hasPrefix("-") ? "'\(words[0]) \(words[1])' is not a command" : nil
        return CommandFailure.usage(said ?? "'\(words[0])' needs a second word", hint: "there is \(names)")
    }
}
