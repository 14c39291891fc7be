// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer

/// `keybound client registration-token remove`.
enum RemoveRegistrationToken: Command {
    static let syntax = CommandSyntax(
        "client registration-token remove",
        "remove a token, so that no app registers itself with it any more",
        details: ["Apps that have registered with it stay registered; keybound client remove removes those."],
        operands: [.required("ID", "the token, as keybound client registration-token list shows it")],
        options: OperatorCommand.options + [Confirmation.yes],
        examples: [
            .init("A token was sent to the wrong person", "keybound client registration-token remove 3f1c9a0b5d7e2468")
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        try await OperatorCommand.removing(
            arguments,
            console,
            question: { _, id in
                "Remove the registration token \(id), so that no app registers with it any more?"
            },
            remove: { administration, id in
                try await administration.removeRegistrationToken(id)
            }
        )
    }
}
#endif
