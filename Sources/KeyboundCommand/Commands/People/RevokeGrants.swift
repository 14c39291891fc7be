// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer

/// `keybound grant revoke`.
enum RevokeGrants: Command {
    private static let user = Option.value("--user", "NAME", "with --client: every grant of this user to that app")
    private static let client = Option.value("--client", "CLIENT_ID", "with --user: the app")
    private static let all = Option.flag(
        "--all",
        "every grant, session and registration token, for use after restoring a backup"
    )

    static let syntax = CommandSyntax(
        "grant revoke",
        "revoke grants and their tokens",
        details: [
            "Revokes one grant by its identifier; with --user and --client every grant of that user to that app, "
                + "together with the consent; or with --all every grant, and every session in a browser or an app, so "
                + "that all users must sign in again, and every registration token of an app. APIs that validate access tokens themselves accept them until "
                + "they expire."
        ],
        operands: [.optional("GRANT_ID", "the grant, as keybound grant list shows it")],
        options: [user, client, all] + OperatorCommand.options + [Confirmation.yes],
        examples: [
            .init("Remove an app's access to an account", "keybound grant revoke --user ada --client notes"),
            .init("A backup was restored", "keybound grant revoke --all"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let id = arguments.operands.first
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let (user, client) = (arguments.value(user), arguments.value(client))
        let isComplete = [id != nil, user != nil && client != nil, arguments.has(all)].count { $0 } == 1
        if isComplete { try confirm(arguments) }
        let said = try await OperatorCommand.administering(settings, console, mustExist: true) { administration in
            switch (id, user, client, arguments.has(all)) {
            case (let id?, nil, nil, false):
                try await administration.revokeGrant(id)
                return "the grant is revoked"
            case (nil, let user?, let client?, false):
                guard try await administration.withdrawConsent(of: user, to: client) else {
                    throw CommandFailure(
                        .failure,
                        "\(SafeText.of(user)) has given \(SafeText.of(client)) no consent: nothing was revoked",
                        hint: "keybound grant list \(SafeText.of(user)) shows what there is"
                    )
                }
                return "the consent is withdrawn"
            case (nil, nil, nil, true):
                let grants = try await administration.revokeAllGrants()
                let tokens = try await administration.removeAllRegistrationTokens()
                return "revoked \(grants) grants, ended all sessions, and removed \(tokens) registration tokens"
            default:
                throw CommandFailure.usage("name the grant: its identifier, or --user and --client, or --all")
            }
        }
        console.note(said)
    }

    private static func confirm(_ arguments: ParsedArguments) throws {
        let question =
            arguments.has(all)
            ? "Revoke every grant, end every session of every user, so that all sign in again, and remove every "
                + "registration token?"
            : "Revoke what you named, so that its tokens end?"
        try Confirmation.obtain(question, arguments)
    }
}
#endif
