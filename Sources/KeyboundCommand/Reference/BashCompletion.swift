// SPDX-License-Identifier: Apache-2.0

/// The completion script for bash 4 and later.
enum BashCompletion {
    static func script() -> String {
        """
        # bash completion for keybound; written by keybound completion bash

        # The words that follow, for the words so far.
        _keybound_next() {
            case "$1" in
        \(next())
            esac
        }

        # Sets what a command takes; fails if there is no such command.
        _keybound_syntax() {
            flags='' values='' repeatable='' files='' directories='' words='' operand=''
            case "$1" in
        \(CommandTable.commands.map { syntax($0.syntax) }.joined(separator: "\n"))
                *) return 1 ;;
            esac
        }

        _keybound_has() { [[ " $1 " == *" $2 "* ]]; }

        _keybound_paths() {
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
        }

        _keybound_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }

        _keybound() {
            local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} count typed word
            local flags values repeatable files directories words operand offered=''
            COMPREPLY=()
            # The longest command that the line begins with.
            for ((count = COMP_CWORD - 1 < 3 ? COMP_CWORD - 1 : 3; count > 0; count--)); do
                _keybound_syntax "${COMP_WORDS[*]:1:count}" && break
            done
            typed=("${COMP_WORDS[@]:1:COMP_CWORD - 1}")
            if ((count > 0)) && _keybound_has "$values" "$previous"; then
                if _keybound_has "$files" "$previous"; then
                    _keybound_paths -f
                elif _keybound_has "$directories" "$previous"; then
                    _keybound_paths -d
                else
                    for word in $words; do
                        if [[ $word == "$previous="* ]]; then
                            word=${word#*=}
                            _keybound_words "${word//,/ }"
                        fi
                    done
                fi
                return
            fi
            # Another word of a command, as long as nothing else was typed.
            _keybound_words "$(_keybound_next "${typed[*]}")"
            ((count > 0)) || return
            if _keybound_has "${typed[*]}" -- || [[ $current != -* ]]; then
                case "$operand" in
                    file) _keybound_paths -f ;;
                    directory) _keybound_paths -d ;;
                    ?*) _keybound_words "$operand" ;;
                esac
                [[ -n ${COMPREPLY[*]} || -n $operand ]] && return
            fi
            _keybound_has "${typed[*]}" -- && return
            for word in $flags $values; do
                if _keybound_has "$repeatable" "$word" || ! _keybound_has "${typed[*]}" "$word"; then
                    offered+=" $word"
                fi
            done
            _keybound_words "$offered"
        }

        complete -F _keybound keybound

        """
    }

    private static func next() -> String {
        ShellCompletion.nextWords.map { path, words in
            "        \(ShellCompletion.quoted(path))) echo \(ShellCompletion.quoted(words.map(\.word).joined(separator: " "))) ;;"
        }.joined(separator: "\n")
    }

    private static func syntax(_ syntax: CommandSyntax) -> String {
        var lines = ["        \(ShellCompletion.quoted(syntax.words.joined(separator: " "))))"]
        func set(_ name: String, _ words: [String]) {
            guard !words.isEmpty else { return }
            lines.append("            \(name)=\(ShellCompletion.quoted(words.joined(separator: " ")))")
        }
        let valued = syntax.options.filter { $0.placeholder != nil }
        set("flags", syntax.options.filter { $0.placeholder == nil }.flatMap(\.names))
        set("values", valued.flatMap(\.names))
        set("repeatable", syntax.options.filter(\.isRepeatable).flatMap(\.names))
        set("files", valued.filter { $0.completion == .file }.flatMap(\.names))
        set("directories", valued.filter { $0.completion == .directory }.flatMap(\.names))
        set("words", valued.flatMap(choices))
        set("operand", syntax.operands.first.map(operand) ?? [])
        return (lines + ["            ;;"]).joined(separator: "\n")
    }

    private static func choices(_ option: Option) -> [String] {
        guard case .words(let words) = option.completion else { return [] }
        return option.names.map { "\($0)=\(words.joined(separator: ","))" }
    }

    private static func operand(_ operand: Operand) -> [String] {
        switch operand.completion {
        case .none: []
        case .file: ["file"]
        case .directory: ["directory"]
        case .words(let words): words
        }
    }
}
