// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import StrictJSON

/// `keybound userinfo`.
enum ShowUser: Command {
    static let syntax = CommandSyntax(
        "userinfo",
        "show the signed-in user, as known to the server",
        details: [
            "Needs a sign-in with the scope openid; most servers also support profile and email."
        ],
        options: AccountSelection.options + AccountKey.openingOptions + [.json],
        examples: [
            .init(
                "Who am I?",
                "keybound login https://auth.example.com --client-id my-tool --scope 'openid profile'\nkeybound userinfo"
            )
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let directory = try AccountDirectory()
        let record = try AccountSelection.record(arguments, in: directory)
        guard !record.isService else {
            throw CommandFailure(
                .failure,
                "there is no user: the client \(SafeText.of(record.account.clientID)) itself is signed in",
                hint: "keybound token show describes its token"
            )
        }
        let stored = try await StoredSession(opening: record, in: directory, arguments)
        SessionInterruption.handle(stored.session)
        let user = try await stored.use { try await $0.userInfo() }
        if arguments.has(.json) {
            console.printJSON(.object(user.claims))
        } else {
            let rows = user.claims.members.map { (SafeText.of($0.name), SafeText.of(text(of: $0.value))) }
            console.print(HelpText.table(rows))
        }
    }

    private static func text(of value: JSONValue) -> String {
        value.stringValue ?? String(decoding: value.encoded(), as: UTF8.self)
    }
}
#endif
