// SPDX-License-Identifier: Apache-2.0

/// Failures for words that the command line should not contain.
///
/// It may be a secret, typed in the wrong place: only a word that resembles an expected one is repeated.
enum UnknownWord {
    /// The failure for a line that begins with no command.
    ///
    /// - Parameter words: The line; at least one word.
    /// - Returns: The failure, with the nearest command or those that there are.
    static func inCommand(_ words: [String]) -> CommandFailure {
        let group = CommandTable.group(at: words)
        guard !group.isEmpty else {
            let guess = NearestWord.to(words[0], among: CommandTable.firstWords)
            return CommandFailure.usage(
                "'\(words[0])' is not a command",
                hint: guess.map { "did you mean keybound \($0)?" } ?? "keybound help lists the commands"
            )
        }
        let name = group.joined(separator: " ")
        if let (word, guess) = nearest(after: group, in: words) {
            return CommandFailure.usage(
                "'\(name) \(word)' is not a command",
                hint: "did you mean keybound \(name) \(guess)?"
            )
        }
        return CommandFailure.usage(
            "'\(name)' has no such command",
            hint: "there is \(CommandTable.syntaxes(in: group).map(\.name).joined(separator: ", "))"
        )
    }

    /// The failure for `keybound help` with words that are no command.
    ///
    /// - Parameters:
    ///   - words: The words after `help`; at least one.
    ///   - topics: The pages that belong to no command.
    /// - Returns: The failure, with the nearest page or where to look.
    static func inHelp(_ words: [String], topics: [String]) -> CommandFailure {
        let group = CommandTable.group(at: words)
        guard !group.isEmpty else {
            let guess = NearestWord.to(words[0], among: CommandTable.firstWords + topics)
            return CommandFailure.usage(
                "there is no help for '\(words[0])'",
                hint: guess.map { "did you mean keybound help \($0)?" } ?? "keybound help lists the commands"
            )
        }
        let name = group.joined(separator: " ")
        if let (word, guess) = nearest(after: group, in: words) {
            return CommandFailure.usage(
                "there is no help for '\(name) \(word)'",
                hint: "did you mean keybound help \(name) \(guess)?"
            )
        }
        return afterPage(name)
    }

    /// The failure for words after the name of a page.
    static func afterPage(_ name: String) -> CommandFailure {
        CommandFailure.usage("there is no help for what follows '\(name)'", hint: "write keybound help \(name)")
    }

    /// The word that follows a group, if it resembles one that may follow, and that one.
    private static func nearest(after group: [String], in words: [String]) -> (String, String)? {
        guard words.count > group.count, !words[group.count].hasPrefix("-") else { return nil }
        let word = words[group.count]
        let following = CommandTable.syntaxes(in: group).map { $0.words[group.count] }
        return NearestWord.to(word, among: following).map { (word, $0) }
    }
}
