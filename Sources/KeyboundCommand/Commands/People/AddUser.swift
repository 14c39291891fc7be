// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import ServerStorage
import StrictJSON

/// `keybound user add`.
enum AddUser: Command {
    static let syntax = CommandSyntax(
        "user add",
        "add a user who can sign in",
        details: [
            "Prompts for the password twice, without showing it. The server may be running. Prints the sub of the "
                + "account, which identifies the user in tokens.",
            "A user name has letters and digits of any script, ASCII punctuation, and one space between words. Other "
                + "characters are rejected, such as invisible ones (RFC 8265 section 3.4).",
        ],
        operands: [.required("NAME", "the user name for the sign-in; upper and lower case of A to Z are the same")],
        options: NewPassword.options + OperatorCommand.options + [.json],
        examples: [
            .init("Type the password", "keybound user add ada"),
            .init(
                "Read it from a password manager",
                "pass show keybound/ada | keybound user add ada --password-file -"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let name = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let password = try NewPassword.read(arguments, of: name)
        let account = try await add(name, password, settings, console)
        if arguments.has(.json) {
            console.printJSON(["username": .string(account.username), "sub": .string(account.subject)])
        } else {
            console.print(account.subject)
            console.note(
                "\(account.username) can sign in now; the account is in \(try ServerPaths(settings).database)"
            )
        }
    }

    /// Adds a user to the database of the settings.
    static func add(
        _ name: String,
        _ password: String,
        _ settings: ServerSettings,
        _ console: Console
    ) async throws -> UserAccount {
        try await OperatorCommand.administering(settings, console) { administration in
            try await administration.addUser(username: name, password: password)
        }
    }
}
#endif
