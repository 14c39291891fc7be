// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import OAuthCore
import StrictJSON

/// `keybound client registration-token new`.
enum NewRegistrationToken: Command {
    private static let uses = Option.value("--uses", "N", "how many apps may register with it (default: 1)")
    private static let lifetime = Option.value("--lifetime", "DURATION", "how long it is valid (default: 1d)")

    static let syntax = CommandSyntax(
        "client registration-token new",
        "let apps register themselves",
        details: [
            "Prints a token that an app sends to the registration endpoint (RFC 7591) to become a client. Only its "
                + "hash is stored, so it is shown only once."
        ],
        options: OperatorCommand.options + [uses, lifetime, .json],
        examples: [
            .init(
                "Let ten copies of an app register within an hour",
                "keybound client registration-token new --uses 10 --lifetime 1h"
            )
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        guard let count = Int(arguments.value(uses) ?? "1") else {
            throw CommandFailure.usage("--uses is not a number")
        }
        guard let duration = DurationText.parse(arguments.value(lifetime) ?? "1d") else {
            throw CommandFailure.usage("--lifetime is not a duration", hint: "write 90s, 5m, 8h or 30d")
        }
        let token = try await OperatorCommand.administering(settings, console) { administration in
            try await administration.newRegistrationToken(uses: count, lifetime: duration)
        }
        if arguments.has(.json) {
            console.printJSON(["initial_access_token": .string(token.value)])
        } else {
            console.print(token.value)
        }
    }
}
#endif
