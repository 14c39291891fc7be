// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer

/// `keybound user password`.
enum ChangePassword: Command {
    static let syntax = CommandSyntax(
        "user password",
        "give a person another password",
        details: [
            "Asks for the password at the terminal, twice, and does not show it. Every browser is signed out; apps keep what "
                + "they were allowed, until keybound grant revoke takes it from them."
        ],
        operands: [.required("NAME", "the person")],
        options: NewPassword.options + OperatorCommand.options,
        examples: [.init("Ask for the password", "keybound user password ada")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let name = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let password = try NewPassword.read(arguments, of: name)
        try await OperatorCommand.administering(settings, console, mustExist: true) { administration in
            try await administration.changePassword(of: name, to: password)
        }
        console.note("\(SafeText.of(name)) has another password, and is signed out everywhere")
    }
}
#endif
