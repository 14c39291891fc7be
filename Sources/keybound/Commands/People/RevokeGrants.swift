// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer

/// `keybound grant revoke`.
enum RevokeGrants: Command {
    private static let user = Option.value("--user", "NAME", "with --client: whatever this person allowed that app")
    private static let client = Option.value("--client", "CLIENT_ID", "with --user: the app")
    private static let all = Option.flag("--all", "every grant of everybody: for after a backup was restored")

    static let syntax = CommandSyntax(
        "grant revoke",
        "take back what was allowed, and end its tokens",
        details: [
            "One grant by its identifier; or with --user and --client everything between the two, and the person is asked "
                + "again; or with --all every grant there is, so that everybody signs in again. APIs that check access tokens "
                + "by themselves take those until they expire."
        ],
        operands: [.optional("GRANT_ID", "the grant, as keybound grant list shows it")],
        options: [user, client, all] + OperatorCommand.options,
        examples: [
            .init("An app is not wanted any more", "keybound grant revoke --user ada --client notes"),
            .init("A backup was restored", "keybound grant revoke --all"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let id = arguments.operands.first
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let (user, client) = (arguments.value(user), arguments.value(client))
        let said = try await OperatorCommand.administering(settings, console, mustExist: true) { administration in
            switch (id, user, client, arguments.has(all)) {
            case (let id?, nil, nil, false):
                try await administration.revokeGrant(id)
                return "the grant is revoked"
            case (nil, let user?, let client?, false):
                let isWithdrawn = try await administration.withdrawConsent(of: user, to: client)
                return isWithdrawn ? "what was allowed is taken back" : "nothing was allowed"
            case (nil, nil, nil, true):
                return "revoked \(try await administration.revokeAllGrants()) grants"
            default:
                throw CommandFailure.usage("say which grant: its identifier, or --user and --client, or --all")
            }
        }
        console.note(said)
    }
}
#endif
