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
        guard let command = CommandTable.command(at: words) else { return .print(try group(words)) }
        let syntax = command.syntax
        try requireNoMisspelling(words, syntax)
        let arguments = try ArgumentParser.parse(Array(words.dropFirst(syntax.words.count)), for: syntax)
        if arguments.has(.help) { return .print(HelpText.of(syntax)) }
        return .run(command, arguments)
    }

    /// The commands of a group, such as `keybound user`, which is no command itself: alone or with a request for help.
    private static func group(_ words: [String]) throws -> String {
        let group = CommandTable.group(at: words)
        let rest = words.dropFirst(group.count)
        guard !group.isEmpty, rest.isEmpty || HelpTopic.isRequest(rest) else { throw UnknownWord.inCommand(words) }
        return HelpText.of(group)
    }

    /// `pkce` is a command and the first word of another: what follows it may be a misspelled second word.
    private static func requireNoMisspelling(_ words: [String], _ syntax: CommandSyntax) throws {
        guard syntax.operands.isEmpty, words.count > syntax.words.count else { return }
        let following = CommandTable.syntaxes(in: syntax.words).map { $0.words[syntax.words.count] }
        let next = words[syntax.words.count]
        guard !next.hasPrefix("-"), let guess = NearestWord.to(next, among: following) else { return }
        throw CommandFailure.usage(
            "'\(words.prefix(syntax.words.count + 1).joined(separator: " "))' is not a command",
            hint: "did you mean \(syntax.name) \(guess)?"
        )
    }
}
