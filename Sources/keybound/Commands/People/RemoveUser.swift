// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer

/// `keybound user remove`.
enum RemoveUser: Command {
    static let syntax = CommandSyntax(
        "user remove",
        "remove a person, and end every token that was given out for them",
        details: ["APIs that check access tokens by themselves take those until they expire."],
        operands: [.required("NAME", "the person")],
        options: OperatorCommand.options,
        examples: [.init("Somebody has left", "keybound user remove ada")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        try await OperatorCommand.removing(arguments, console) { administration, name in
            try await administration.removeUser(name)
        }
    }
}
#endif
