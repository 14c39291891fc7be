// SPDX-License-Identifier: Apache-2.0

#if os(Linux)

/// `keybound keys server list`.
enum ListServerKeys: Command {
    static let syntax = CommandSyntax(
        "keys server list",
        "list the keys that sign tokens",
        details: [
            "Each line shows the state, the algorithm, the start and end of that state, the kid, and the label of a "
                + "key in a PKCS #11 token. A key is next, active, retired or revoked. The next key is published "
                + "before it signs; a retired key stays published until the last token it signed has expired. No "
                + "secret is shown and no credential is needed. The end of an active key depends on the configuration "
                + "of the server, so give it with --config."
        ],
        options: OperatorCommand.options + [.json],
        examples: [.init("Which key signs, and until when?", "keybound keys server list")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let entries = try await KeyEntry.all(settings)
        KeyEntry.show(entries, arguments, console)
        if entries.isEmpty, !arguments.has(.json) {
            console.note("there are no keys yet; the first start of keybound serve creates them")
        }
    }
}
#endif
