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
        if let (typed, guess) = nearest(after: group, in: words) {
            return CommandFailure.usage("'\(typed)' is not a command", hint: "did you mean keybound \(guess)?")
        }
        guard !group.isEmpty else {
            return CommandFailure.usage("there is no such command", hint: "keybound help lists the commands")
        }
        return CommandFailure.usage(
            "'\(group.joined(separator: " "))' has no such command",
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
        if let (typed, guess) = nearest(after: group, in: words, orAmong: topics) {
            return CommandFailure.usage("there is no help for '\(typed)'", hint: "did you mean keybound help \(guess)?")
        }
        guard !group.isEmpty else {
            return CommandFailure.usage("there is no help for this word", hint: "keybound help lists the commands")
        }
        return afterPage(group.joined(separator: " "))
    }

    /// The failure for words after the name of a page.
    static func afterPage(_ name: String) -> CommandFailure {
        CommandFailure.usage("there is no help for what follows '\(name)'", hint: "write keybound help \(name)")
    }

    /// The group and the word that follows it, if that resembles one that may follow; and the group with that one.
    private static func nearest(
        after group: [String],
        in words: [String],
        orAmong topics: [String] = []
    ) -> (typed: String, guess: String)? {
        guard words.count > group.count, !words[group.count].hasPrefix("-") else { return nil }
        let following =
            group.isEmpty
            ? CommandTable.firstWords + topics : CommandTable.syntaxes(in: group).map { $0.words[group.count] }
        guard let guess = NearestWord.to(words[group.count], among: following) else { return nil }
        return (words.prefix(group.count + 1).joined(separator: " "), (group + [guess]).joined(separator: " "))
    }
}
