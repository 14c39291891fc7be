// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient

/// `keybound keys delete`.
enum DeleteKey: Command {
    static let syntax = CommandSyntax(
        "keys delete",
        "delete the key of an account, with its tokens, without telling the server",
        details: [
            "For a server that is no more, or a device that is given away: keybound logout tells the server too. Tokens that "
                + "somebody else has a copy of are of no use without the key."
        ],
        options: AccountSelection.options + KeyPIN.options,
        examples: [
            .init("Delete the key of a server that is no more", "keybound keys delete --issuer https://old.example.com")
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let directory = try AccountDirectory()
        let record = try AccountSelection.record(arguments, in: directory)
        // The key first: as long as it is there, the account must be.
        try await AccountKey(deleting: record, in: directory, arguments).delete()
        try await directory.tokenStore.deleteTokens(of: record.account)
        try await AccountKey.deleteFiles(of: record.account, in: directory)
        try directory.delete(record.account)
        console.note("the key and the tokens of \(record.account.issuer) are deleted; the server was not told")
    }
}
#endif
