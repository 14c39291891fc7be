// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import KeyboundCommand

/// Each script in its own shell, which must offer the same for the same line.
@Suite("Completion in bash, zsh and fish")
struct CompletionTests {
    /// What a shell offers at the end of a line; the directory has `keybound.json` and `state/`.
    private func offers(_ shell: ShellCompletion, _ line: String) async throws -> Set<String> {
        let directory = try TemporaryDirectory()
        try directory.write("{}", to: "keybound.json")
        try FileManager.default.createDirectory(
            at: directory.url.appendingPathComponent("state"),
            withIntermediateDirectories: false
        )
        try directory.write(shell.script, to: "script")
        let program: (name: String, arguments: [String]) =
            switch shell {
            case .bash: ("bash", ["--norc", "-c", Self.bash, "bash", line])
            case .zsh: ("zsh", ["-f", "-c", Self.zsh, "zsh", line])
            case .fish: ("fish", ["--no-config", "-c", "source script; complete --do-complete \"$argv[1]\"", line])
            }
        let child = try ChildProcess(
            "/usr/bin/env",
            [program.name] + program.arguments,
            environment: ["PATH": "/usr/bin:/bin", "HOME": directory.path, "TERM": "dumb", "LC_ALL": "C.UTF-8"],
            directory: directory.path,
            input: ""
        )
        let result = await child.result()
        #expect(result.errors == "", "\(shell): \(result.errors)")
        return Set(
            result.output.split(whereSeparator: \.isNewline).map { line in
                let word = line.split(separator: "\t", omittingEmptySubsequences: false)[0]
                return String(word.hasSuffix("/") ? word.dropLast() : word)
            }
        )
    }

    private static let bash = """
        source ./script
        read -ra COMP_WORDS <<<"$1"
        [[ $1 == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _keybound
        printf '%s\\n' "${COMPREPLY[@]}"
        """

    /// Runs the completion in a shell at a pseudo-terminal, as there is no other way, and prints what it offers.
    private static let zsh = """
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell 'PROMPT= RPROMPT=; unsetopt zle_bracketed_paste 2>/dev/null; fpath=($PWD $fpath); cp script _keybound'
        zpty -w shell 'autoload -Uz compinit; compinit -u -D; autoload -Uz _keybound; compdef _keybound keybound'
        zpty -w shell 'compadd() {
            builtin compadd "$@"
            [[ ${@[1,(i)(-|--)]} == *-[a-zA-Z]#(O|A|D)[a-zA-Z]#* ]] && return
            local -a offered; builtin compadd -O offered "$@"
            (( $#offered )) && print -rl -- $offered >> offers
        }'
        zpty -w shell 'setopt extended_glob; bindkey "^I" complete-word; zstyle ":completion:*" list-colors'
        zpty -w shell 'finish() { print over > state/over }; zle -N finish; bindkey "^X" finish'
        zpty -w shell 'zle-line-init() { : > offers; print ready > state/ready }; zle -N zle-line-init'
        await() {
            for i in {1..3000}; do [[ -e $1 ]] && return; sleep 0.02; done
            print -u2 "$1 did not come"
        }
        # Not before the line editor reads: a terminal that is not in its hands takes control characters itself.
        await state/ready
        zpty -n -w shell "$1"$'\\t'$'\\C-x'
        await state/over
        zpty -d shell
        cat offers
        """

    @Test(arguments: ShellCompletion.allCases)
    func `the words of commands`(shell: ShellCompletion) async throws {
        #expect(try await offers(shell, "keybound se").contains("serve"))
        let words = try await offers(shell, "keybound keys ")
        #expect(words.isSuperset(of: ["list", "show", "attest", "server"]))
        #expect(try await offers(shell, "keybound keys server ro") == ["rotate"])
    }

    @Test(arguments: ShellCompletion.allCases)
    func `options, each once unless it may be repeated`(shell: ShellCompletion) async throws {
        let options = try await offers(shell, "keybound serve --")
        #expect(options.isSuperset(of: ["--config", "--check", "--scope", "--help"]))
        let rest = try await offers(shell, "keybound serve --check --scope a --")
        #expect(rest.isSuperset(of: ["--config", "--scope"]))
        #expect(!rest.contains("--check"))
        #expect(try await offers(shell, "keybound serve -- --").isDisjoint(with: ["--config", "--check"]))
    }

    @Test(arguments: ShellCompletion.allCases)
    func `values: files, directories, and words`(shell: ShellCompletion) async throws {
        #expect(try await offers(shell, "keybound serve --config key") == ["keybound.json"])
        let directories = try await offers(shell, "keybound serve --data-directory s")
        #expect(directories.contains("state") && !directories.contains("script"))
        #expect(try await offers(shell, "keybound serve --log-level n") == ["notice"])
        #expect(try await offers(shell, "keybound gateway config n") == ["nginx"])
        // Only the user knows an issuer.
        #expect(try await offers(shell, "keybound serve --issuer key").isEmpty)
    }

    @Test func `every word that a setting offers is one that it accepts`() async throws {
        let offering = Setting.all.filter { if case .words = $0.option.completion { true } else { false } }
        #expect(offering.count >= 6)
        for setting in offering {
            guard case .words(let words) = setting.option.completion else { continue }
            for (word, isGood) in words.map({ ($0, true) }) + [("nonsense", false)] {
                let result = try await KeyboundProcess.run(
                    [
                        "serve", "--check", "--issuer", "https://auth.example.com", "--key-credential", "keybound-key",
                        setting.option.name, word,
                    ],
                    in: try TemporaryDirectory()
                )
                // A profile may contradict what is not set here; then the rules say so, and the word was understood.
                let isUnderstood = result.status == 0 || result.errors.contains("contradict the chosen profile")
                #expect(isUnderstood == isGood, "\(setting.option.name) \(word): \(result.errors)")
            }
        }
    }

    @Test func `a shell that is not known is rejected`() async throws {
        let result = try await KeyboundProcess.run(["completion", "tcsh"], in: TemporaryDirectory())
        #expect(result.status == 2)
        #expect(result.errors.contains("bash, zsh, fish"))
    }
}
