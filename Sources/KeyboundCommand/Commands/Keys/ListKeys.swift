// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthClient
import StrictJSON

/// `keybound keys list`.
enum ListKeys: Command {
    static let syntax = CommandSyntax(
        "keys list",
        "list the keys of the signed-in accounts",
        details: [
            "Each line shows where the key is stored (none if the tokens are bound to no key), its thumbprint (RFC 7638), "
                + "and the issuer, client and name of the account. No key is opened."
        ],
        options: [.json],
        examples: [.init("Which keys are there?", "keybound keys list")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let directory = try AccountDirectory()
        var rows: [JSONObject] = []
        for record in try directory.records() {
            let thumbprint = await thumbprint(record, in: directory, console)
            var row: JSONObject = ["key": .string(record.isBound ? record.keyPlace.choice.name : "none")]
            row["jkt"] = thumbprint.map { .string($0.description) }
            row["issuer"] = .string(record.account.issuer)
            row["client_id"] = .string(record.account.clientID)
            row["account"] = .string(record.account.name)
            rows.append(row)
        }
        if arguments.has(.json) {
            console.printJSON(.array(rows.map { .object($0) }))
            return
        }
        for row in rows {
            let cells = ["key", "jkt", "issuer", "client_id", "account"].map { row[$0]?.stringValue ?? "-" }
            console.print(SafeText.of(cells.joined(separator: "  ")))
        }
        if rows.isEmpty { console.note("no account is signed in") }
    }

    /// The key that the tokens of an account are bound to; `nil` also if they cannot be read, which hides no other account.
    private static func thumbprint(
        _ record: AccountRecord,
        in directory: AccountDirectory,
        _ console: Console
    ) async -> JWKThumbprint? {
        do {
            return try await directory.tokenStore.tokens(of: record.account)?.keyThumbprint
        } catch {
            let failure = CommandFailure(describing: error)
            console.warn("the tokens of \(record.account.issuer) cannot be read: \(failure.message)")
            return nil
        }
    }
}
#endif
