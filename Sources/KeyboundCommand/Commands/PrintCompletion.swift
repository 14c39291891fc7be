// SPDX-License-Identifier: Apache-2.0

/// `keybound completion`.
enum PrintCompletion: Command {
    static let syntax = CommandSyntax(
        "completion",
        "print a script that completes command lines in a shell",
        operands: [
            .required("SHELL", "bash, zsh or fish", choices: ShellCompletion.allCases.map(\.rawValue))
        ],
        examples: [
            .init("In bash, for this session", "source <(keybound completion bash)"),
            .init("In zsh, in a directory of $fpath", "keybound completion zsh > ~/.zfunc/_keybound"),
            .init("In fish", "keybound completion fish > ~/.config/fish/completions/keybound.fish"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) throws {
        let shell: ShellCompletion = try arguments.word(0, "a shell")
        StandardStream.output.write(shell.script)
    }
}
