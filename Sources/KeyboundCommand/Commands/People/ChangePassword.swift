// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer

/// `keybound user password`.
enum ChangePassword: Command {
    static let syntax = CommandSyntax(
        "user password",
        "set a new password for a user",
        details: [
            "Prompts for the password twice, without showing it. Signs the user out of every browser. Grants of apps "
                + "stay valid until keybound grant revoke revokes them."
        ],
        operands: [.required("NAME", "the user")],
        options: NewPassword.options + OperatorCommand.options,
        examples: [.init("Type the password", "keybound user password ada")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let name = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let password = try NewPassword.read(arguments, of: name)
        try await OperatorCommand.administering(settings, console, mustExist: true) { administration in
            try await administration.changePassword(of: name, to: password)
        }
        console.note("changed the password of \(SafeText.of(name)), who is now signed out of every browser")
    }
}
#endif
