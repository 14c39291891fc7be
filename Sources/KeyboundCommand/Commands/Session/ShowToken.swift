// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import OAuthCore
import OAuthSystem
import StrictJSON

/// `keybound token show`.
enum ShowToken: Command {
    private static let reveal = Option.flag("--reveal", "print only the access token itself, which is a secret")

    static let syntax = CommandSyntax(
        "token show",
        "show facts about the tokens, but not the tokens themselves",
        options: [reveal] + AccountSelection.options + [.json],
        examples: [
            .init("Am I signed in, and for how long?", "keybound token show"),
            .init("Look into the access token", "keybound token show --reveal | keybound jwt inspect"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let directory = try AccountDirectory()
        let record = try AccountSelection.record(arguments, in: directory)
        guard let tokens = try await directory.tokenStore.tokens(of: record.account) else {
            throw CommandFailure(
                .signInNeeded,
                "the session has ended",
                hint: "sign in again: \(record.loginCommand())"
            )
        }
        let now = SystemWallClock().now()
        let description = TokenDescription(record, tokens, at: now)
        if arguments.has(.json) {
            var object = description.json
            if arguments.has(reveal) { object["access_token"] = .string(tokens.accessToken.value) }
            console.printJSON(.object(object))
        } else if arguments.has(reveal) {
            console.print(tokens.accessToken.value)
        } else {
            console.print(HelpText.table(description.rows.map { ($0.0, SafeText.of($0.1)) }))
        }
        if arguments.has(reveal), tokens.isExpired(at: now) {
            console.note("it has expired; keybound token refresh gets a new one")
        }
    }
}
#endif
