// SPDX-License-Identifier: Apache-2.0

/// The completion script for fish 3 and later.
enum FishCompletion {
    static func script() -> String {
        let commands = CommandTable.commands.map { $0.syntax }
        return """
            # fish completion for keybound; written by keybound completion fish

            # Whether the line so far is exactly these words.
            function __keybound_typed
                set --local tokens (commandline --tokenize --cut-at-cursor --current-process)
                test "$tokens[2..-1]" = "$argv"
            end

            # Whether the line is of this command, and not of one with a longer name.
            function __keybound_command
                set --local tokens (commandline --tokenize --cut-at-cursor --current-process)
                for count in 3 2 1
                    set --local words "$tokens[2..$(math $count + 1)]"
                    if test (count $tokens) -gt $count; and contains -- "$words" $__keybound_commands
                        test "$words" = "$argv"
                        return
                    end
                end
                return 1
            end

            # Whether none of these options was given; the last word may be one whose value is typed now.
            function __keybound_free
                set --local tokens (commandline --tokenize --cut-at-cursor --current-process)
                for option in $argv
                    contains -- $option $tokens[1..-2]; and return 1
                end
                return 0
            end

            set --global __keybound_commands \(names(commands))

            complete --command keybound --no-files
            \(ShellCompletion.nextWords.map(next).joined(separator: "\n"))
            \(commands.map(command).joined(separator: "\n"))

            """
    }

    private static func names(_ commands: [CommandSyntax]) -> String {
        commands.map { ShellCompletion.quoted($0.words.joined(separator: " ")) }.joined(separator: " ")
    }

    private static func next(_ path: String, _ words: [(word: String, summary: String)]) -> String {
        words.map { word, summary in
            "complete --command keybound --condition '__keybound_typed \(path)' --arguments \(word) --description "
                + quoted(summary)
        }.joined(separator: "\n")
    }

    private static func command(_ syntax: CommandSyntax) -> String {
        let condition = "__keybound_command \(syntax.words.joined(separator: " "))"
        return
            (syntax.options.map { option($0, condition) } + syntax.operands.prefix(1).flatMap { operand($0, condition) })
            .joined(separator: "\n")
    }

    private static func option(_ option: Option, _ condition: String) -> String {
        let free = option.isRepeatable ? "" : "; and __keybound_free \(option.names.joined(separator: " "))"
        var line =
            "complete --command keybound --condition '\(condition)\(free)' --long-option "
            + String(option.name.dropFirst(2))
        if let letter = option.letter { line += " --short-option \(letter)" }
        if option.placeholder != nil {
            line += " --require-parameter" + (option.completion == .none ? " --no-files" : action(option.completion))
        }
        return line + " --description " + quoted(option.help)
    }

    private static func operand(_ operand: Operand, _ condition: String) -> [String] {
        let action = action(operand.completion)
        guard !action.isEmpty else { return [] }
        return ["complete --command keybound --condition '\(condition)'\(action)"]
    }

    private static func action(_ completion: Completion) -> String {
        switch completion {
        case .none: ""
        case .file: " --force-files"
        case .directory: " --no-files --arguments '(__fish_complete_directories)'"
        case .words(let words): " --no-files --arguments \(quoted(words.joined(separator: " ")))"
        }
    }

    /// A word in single quotes, in which fish takes backslashes as escapes.
    private static func quoted(_ text: String) -> String {
        var result = ""
        for character in text {
            if character == "\\" || character == "'" { result.append("\\") }
            result.append(character)
        }
        return "'\(result)'"
    }
}
