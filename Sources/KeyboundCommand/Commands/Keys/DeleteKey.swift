// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient

/// `keybound keys delete`.
enum DeleteKey: Command {
    static let syntax = CommandSyntax(
        "keys delete",
        "delete the key and the tokens of an account, without contacting the server",
        details: [
            "For a server that no longer exists, or a device that you give away. keybound logout also revokes the "
                + "tokens at the server. Without the key, copies of tokens that are bound to it are useless. Tokens that are "
                + "bound to no key, and the refresh token of a client with a secret or a key of its own, stay valid until "
                + "they expire or an operator revokes the grant."
        ],
        options: AccountSelection.options + KeyPIN.options,
        examples: [
            .init(
                "Delete the key of a server that no longer exists",
                "keybound keys delete --issuer https://old.example.com"
            )
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let directory = try AccountDirectory()
        let record = try AccountSelection.record(arguments, in: directory)
        // The key first: the account must exist for as long as its key does.
        try await AccountKey(deleting: record, in: directory, arguments).delete()
        try await directory.deleteTokens(of: record.account)
        try await AccountKey.deleteFiles(of: record.account, in: directory)
        await CommandRegistration(of: record)?.release()
        try directory.delete(record.account)
        console.note(
            record.isBound
                ? "the key and the tokens of \(record.account.issuer) are deleted; the server was not contacted"
                : "the tokens of \(record.account.issuer) are deleted; they were bound to no key, and the server was not contacted"
        )
    }
}
#endif
