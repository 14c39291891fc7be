// SPDX-License-Identifier: Apache-2.0

#if os(Linux)

/// `keybound keys server list`.
enum ListServerKeys: Command {
    static let syntax = CommandSyntax(
        "keys server list",
        "show the keys that sign tokens",
        details: [
            "On each line: state, algorithm, since when, until when, kid, and the label of a key that lives in a PKCS #11 token. A key is next, active, retired or revoked. The "
                + "next one is published before it signs; a retired one stays published until the last token that it "
                + "signed has expired. Nothing secret is shown, and no credential is needed; "
                + "for how long an active key signs, the configuration of the server is."
        ],
        options: OperatorCommand.options + [.json],
        examples: [.init("Which key signs, and until when?", "keybound keys server list")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let entries = try await KeyEntry.all(settings)
        KeyEntry.show(entries, arguments, console)
        if entries.isEmpty, !arguments.has(.json) {
            console.note("there are no keys yet; the first start of keybound serve makes them")
        }
    }
}
#endif
