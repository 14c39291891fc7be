// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage
import StrictJSON

/// `keybound user list`.
enum ListUsers: Command {
    static let syntax = CommandSyntax(
        "user list",
        "list the users who can sign in",
        details: [
            "Each line shows the sub, when the user was added, and the name. With --json also the claims, as keybound user "
                + "show prints them."
        ],
        options: OperatorCommand.options + [.json],
        examples: [.init("Which users are there?", "keybound user list")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let users = try await OperatorCommand.withStorage(settings, mustExist: true) { try await $0.users() }
        if arguments.has(.json) {
            console.printJSON(.array(users.map { $0.json() }))
            return
        }
        for user in users {
            console.print("\(user.subject)  \(TimeText.text(of: user.createdAt))  \(SafeText.of(user.username))")
        }
        if users.isEmpty { console.note("there are no users; keybound user add adds one") }
    }
}
#endif
