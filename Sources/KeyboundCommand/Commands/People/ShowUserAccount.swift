// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import ServerStorage
import StrictJSON

/// `keybound user show`.
enum ShowUserAccount: Command {
    static let syntax = CommandSyntax(
        "user show",
        "show a user, and what tokens may say about them",
        details: ["The password is not shown: only its hash is stored."],
        operands: [.required("NAME", "the user")],
        options: OperatorCommand.options + [.json],
        examples: [.init("Which groups is Ada in?", "keybound user show ada")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let name = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let user = try await OperatorCommand.administering(settings, console, mustExist: true) { administration in
            try await administration.user(name)
        }
        guard !arguments.has(.json) else {
            console.printJSON(user.json())
            return
        }
        console.print("\(user.subject)  \(console.style.bold(SafeText.of(user.username)))")
        console.print("  \("added".padded(to: 20))\(TimeText.text(of: user.createdAt))")
        for member in user.claims.members {
            let value = String(decoding: member.value.encoded(), as: UTF8.self)
            console.print("  \("claim".padded(to: 20))\(member.name): \(SafeText.of(value))")
        }
    }
}
#endif
