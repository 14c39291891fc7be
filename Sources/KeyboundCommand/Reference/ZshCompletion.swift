// SPDX-License-Identifier: Apache-2.0

/// The completion script for zsh 5 and later.
enum ZshCompletion {
    static func script() -> String {
        """
        #compdef keybound
        # zsh completion for keybound; written by keybound completion zsh

        # Offers the words that follow the words so far.
        _keybound_next() {
            local -a following
            case "$1" in
        \(next())
            esac
            (( $#following )) && _describe command following
        }

        # Completes options and operands of a command; fails if there is no such command.
        _keybound_arguments() {
            case "$1" in
        \(CommandTable.commands.map { arguments($0.syntax) }.joined(separator: "\n"))
                *) return 1 ;;
            esac
        }

        _keybound_is_command() {
            case "$1" in
                \(commandPattern())) return 0 ;;
            esac
            return 1
        }

        _keybound() {
            local count typed="${(j: :)words[2,CURRENT-1]}" command
            local result=1
            _keybound_next "$typed" && result=0
            for (( count = CURRENT - 2 < 3 ? CURRENT - 2 : 3; count > 0; count-- )); do
                command="${(j: :)words[2,count + 1]}"
                if _keybound_is_command "$command"; then
                    # What follows counts as the arguments of the command alone.
                    words=("$command" "${(@)words[count + 2,-1]}")
                    (( CURRENT -= count ))
                    _keybound_arguments "$command" && result=0
                    break
                fi
            done
            return result
        }

        _keybound "$@"

        """
    }

    private static func next() -> String {
        ShellCompletion.nextWords.map { path, words in
            let following = words.map { ShellCompletion.quoted("\($0.word):\($0.summary)") }.joined(separator: " ")
            return "        \(ShellCompletion.quoted(path))) following=(\(following)) ;;"
        }.joined(separator: "\n")
    }

    private static func commandPattern() -> String {
        CommandTable.commands.map { ShellCompletion.quoted($0.syntax.words.joined(separator: " ")) }
            .joined(separator: "|")
    }

    private static func arguments(_ syntax: CommandSyntax) -> String {
        let specifications = (syntax.options.flatMap(specification) + syntax.operands.map(specification))
            .map { " \\\n                " + ShellCompletion.quoted($0) }
        return "        \(ShellCompletion.quoted(syntax.words.joined(separator: " "))))\n            _arguments -S"
            + specifications.joined() + "\n            ;;"
    }

    private static func specification(_ option: Option) -> [String] {
        let value = option.placeholder.map { ":\(escaped($0)):\(action(option.completion))" } ?? ""
        return option.names.map { name in
            let others = option.names.filter { $0 != name }.joined(separator: " ")
            let prefix = option.isRepeatable ? "*" : others.isEmpty ? "" : "(\(others))"
            return "\(prefix)\(name)[\(escaped(option.help))]\(value)"
        }
    }

    private static func specification(_ operand: Operand) -> String {
        "\(operand.isOptional ? "::" : ":")\(escaped(operand.name)):\(action(operand.completion))"
    }

    private static func action(_ completion: Completion) -> String {
        switch completion {
        case .none: " "
        case .file: "_files"
        case .directory: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            if "[]:\\".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }
}
