// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import OAuthSystem
import StrictJSON

/// `keybound token refresh`.
enum RefreshTokens: Command {
    static let syntax = CommandSyntax(
        "token refresh",
        "get a new access token",
        details: [
            "Rarely needed: keybound request refreshes automatically. A client that signed in itself (login "
                + "--client-credentials) has no refresh token: it requests a new token with its secret or key."
        ],
        options: AccountSelection.options + AccountKey.openingOptions + [.json],
        examples: [.init("Get a new access token", "keybound token refresh")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let stored = try await StoredSession(arguments)
        SessionInterruption.handle(stored.session)
        let tokens = try await stored.use { try await $0.tokenManager.refresh() }
        let now = SystemWallClock().now()
        if arguments.has(.json) {
            console.printJSON(.object(TokenDescription(stored.record, tokens, at: now).json))
        } else {
            let expiry = tokens.expiresAt.map { "; it expires \(TimeText.words($0, at: now))" } ?? ""
            console.print("got a new access token\(expiry)")
        }
    }
}
#endif
