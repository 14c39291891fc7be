// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import OAuthCore
import ServerStorage
import StrictJSON

/// `keybound client registration-token new`.
enum NewRegistrationToken: Command {
    private static let uses = Option.value("--uses", "N", "how many apps may register with it", default: "1")
    private static let scope = Option.value(
        "--scope",
        "SCOPE",
        "what apps may register for, and get if they ask for nothing",
        default: "openid and profile, where they exist"
    )
    private static let bearerTokens = Option.flag(
        "--allow-bearer-tokens",
        "apps may register for tokens that are bound to no key, if the server allows them"
    )
    private static let lifetime = Option.value("--lifetime", "DURATION", "how long it is valid", default: "1d")

    static let syntax = CommandSyntax(
        "client registration-token new",
        "let apps register themselves",
        details: [
            "Prints a token that an app sends to the registration endpoint (RFC 7591) to become a client. Only its "
                + "hash is stored, so it is shown only once. keybound client registration-token list shows the valid "
                + "tokens, and remove revokes one."
        ],
        options: OperatorCommand.options + [uses, lifetime, scope, bearerTokens, .json],
        examples: [
            .init(
                "Let ten copies of an app register within an hour",
                "keybound client registration-token new --uses 10 --lifetime 1h --scope \"openid notes:read\""
            )
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        guard let count = Int(arguments.value(uses) ?? "1") else {
            throw CommandFailure.usage(
                "--uses is not a number",
                hint: "how many clients may register with it, such as --uses 1"
            )
        }
        guard let duration = DurationText.parse(arguments.value(lifetime) ?? "1d") else {
            throw CommandFailure.usage("--lifetime is not a duration", hint: "write 90s, 5m, 8h or 30d")
        }
        let policy = RegistrationTokenPolicy(
            scope: try arguments.value(scope).map { try scopeValue($0, settings) },
            allowsBearerTokens: arguments.has(bearerTokens)
        )
        let token = try await OperatorCommand.administering(settings, console) { administration in
            try await administration.newRegistrationToken(uses: count, lifetime: duration, policy: policy)
        }
        let id = StoredRegistrationToken.id(of: SecretHash(of: token.value))
        if arguments.has(.json) {
            console.printJSON(["initial_access_token": .string(token.value), "registration_token_id": .string(id)])
        } else {
            console.print(token.value)
            console.note("to revoke it: keybound client registration-token remove \(id)")
        }
    }

    private static func scopeValue(_ text: String, _ settings: ServerSettings) throws -> Scope {
        let scope: Scope
        do {
            scope = try Scope(parsing: text)
        } catch {
            throw CommandFailure.usage("--scope is not a scope", hint: "write words with one space between them")
        }
        try ClientMetadataOptions.refuseUnknown(scope.tokens, settings)
        return scope
    }
}
#endif
