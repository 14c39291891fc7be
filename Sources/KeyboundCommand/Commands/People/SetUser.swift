// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import ServerStorage
import StrictJSON

/// `keybound user set`.
enum SetUser: Command {
    static let syntax = CommandSyntax(
        "user set",
        "change what tokens say about a user",
        details: [
            "Sets or removes claims, such as groups or an email address, and prints all that the user has then. The "
                + "server puts a claim into tokens if 'claims' of its configuration names it and the user granted the "
                + "scope. The server may be running; tokens say it from the next refresh on.",
            "If a login system sends claims (docs/login-system.md), they replace all of these at each sign-in.",
            "A claim to remove that the user does not have is a warning, not an error.",
        ],
        operands: [.required("NAME", "the user")],
        options: UserClaimOptions.all + OperatorCommand.options + [.json],
        examples: [
            .init("Put a user into a group", #"keybound user set ada --claim-json 'groups=["admin"]'"#),
            .init("An address has changed", "keybound user set ada --claim email=ada@example.com"),
            .init("A user is in no group any more", "keybound user set ada --no-claim groups"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let name = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let (values, removed) = try UserClaimOptions.changes(arguments)
        let (claims, missing) = try await OperatorCommand.administering(
            settings,
            console,
            mustExist: true
        ) { administration in
            let former = try await administration.user(name).claims
            let claims = try await administration.changeClaims(of: name, setting: values, removing: removed)
            return (claims, removed.filter { former[$0] == nil })
        }
        if arguments.has(.json) {
            console.printJSON(.object(claims))
        } else {
            for member in claims.members {
                let value = String(decoding: member.value.encoded(), as: UTF8.self)
                console.print("\(member.name): \(SafeText.of(value))")
            }
            if claims.members.isEmpty { console.note("\(SafeText.of(name)) has no claims") }
        }
        for claim in missing { console.warn("\(SafeText.of(name)) has no claim \(SafeText.of(claim))") }
        UserClaimOptions.warn(of: values, settings, console)
    }
}
#endif
