// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer

/// `keybound client remove`.
enum RemoveClient: Command {
    static let syntax = CommandSyntax(
        "client remove",
        "remove an app, and revoke its tokens",
        details: ["APIs that validate access tokens themselves accept them until they expire."],
        operands: [.required("CLIENT_ID", "the app")],
        options: OperatorCommand.options + [Confirmation.yes],
        examples: [.init("Remove an app", "keybound client remove billing")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        try await OperatorCommand.removing(
            arguments,
            console,
            question: { _, clientID in
                "Remove the client \(clientID), and revoke every grant of it?"
            },
            remove: { administration, clientID in
                try await administration.removeClient(clientID)
            }
        )
    }
}
#endif
