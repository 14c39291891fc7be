// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import OAuthStorage

/// `keybound client remove`.
enum RemoveClient: Command {
    static let syntax = CommandSyntax(
        "client remove",
        "remove an app, and end every token that it was given",
        details: ["APIs that check access tokens by themselves take those until they expire."],
        operands: [.required("CLIENT_ID", "the app")],
        options: OperatorCommand.options,
        examples: [.init("Remove an app", "keybound client remove billing")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let clientID = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        try await OperatorCommand.administering(settings, console, mustExist: true) { administration in
            try await administration.removeClient(clientID)
        }
        console.note("\(SafeText.of(clientID)) is removed")
    }
}
#endif
