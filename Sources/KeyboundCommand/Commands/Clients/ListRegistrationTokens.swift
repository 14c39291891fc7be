// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// `keybound client registration-token list`.
enum ListRegistrationTokens: Command {
    static let syntax = CommandSyntax(
        "client registration-token list",
        "list the tokens with which apps can still register themselves",
        details: [
            "Each line shows the identifier of the token, when it expires, how many apps may still register with it, and "
                + "their scope. Tokens that are expired or used up are not shown. The identifier is not secret: it is "
                + "part of the hash of the token."
        ],
        options: OperatorCommand.options + [.json],
        examples: [.init("Who could register now?", "keybound client registration-token list")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let now = SystemWallClock().now()
        let tokens = try await OperatorCommand.withStorage(settings, mustExist: true) {
            try await $0.registrationTokens(at: now)
        }
        if arguments.has(.json) {
            console.printJSON(.array(tokens.map(json)))
            return
        }
        for token in tokens {
            let uses = token.usesLeft == 1 ? "1 use" : "\(token.usesLeft) uses"
            let scope = token.policy.scope?.description ?? "openid profile"
            let binding = token.policy.allowsBearerTokens ? "  allows Bearer tokens" : ""
            console.print("\(token.id)  \(TimeText.text(of: token.expiresAt))  \(uses)  \(scope)\(binding)")
        }
        if tokens.isEmpty {
            console.note("there are no registration tokens; keybound client registration-token new makes one")
        }
    }

    private static func json(of token: StoredRegistrationToken) -> JSONValue {
        var object: JSONObject = [
            "registration_token_id": .string(token.id),
            "expires_at": .number(JSONNumber(token.expiresAt.secondsSince1970)),
            "uses_left": .number(JSONNumber(Int64(token.usesLeft))),
            "allows_bearer_tokens": .bool(token.policy.allowsBearerTokens),
        ]
        object["scope"] = token.policy.scope.map { .string($0.description) }
        return .object(object)
    }
}
#endif
