// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import OAuthStorage

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
        let name = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        try await OperatorCommand.administering(settings, console, mustExist: true) { administration in
            try await administration.removeUser(name)
        }
        console.note("\(SafeText.of(name)) is removed")
    }
}
#endif
