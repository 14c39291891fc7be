// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer

/// `keybound user remove`.
enum RemoveUser: Command {
    static let syntax = CommandSyntax(
        "user remove",
        "remove a user, and revoke every token issued for them",
        details: ["APIs that validate access tokens themselves accept them until they expire."],
        operands: [.required("NAME", "the user")],
        options: OperatorCommand.options + [Confirmation.yes],
        examples: [.init("A user has left", "keybound user remove ada")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        try await OperatorCommand.removing(
            arguments,
            console,
            question: { administration, name in
                let count = try await administration.grants(of: name).count
                return
                    "Remove the user \(name), and revoke \(count == 1 ? "the one grant" : "the \(count) grants") of theirs?"
            },
            remove: { administration, name in
                try await administration.removeUser(name)
            }
        )
    }
}
#endif
