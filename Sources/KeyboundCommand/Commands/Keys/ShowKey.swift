// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import StrictJSON

/// `keybound keys show`.
enum ShowKey: Command {
    static let syntax = CommandSyntax(
        "keys show",
        "show the public key of an account",
        details: [
            "Opens the key, which may need a passphrase, credential or PIN. If the key is gone, the exit code "
                + "is 4: sign in again."
        ],
        options: AccountSelection.options + AccountKey.openingOptions + [.json],
        examples: [.init("Which key are my tokens bound to?", "keybound keys show")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let directory = try AccountDirectory()
        let record = try AccountSelection.record(arguments, in: directory)
        try AccountKey.require(of: record)
        let key = try await AccountKey(opening: record, in: directory, arguments).load()
        let publicKey = JSONValue.object(key.publicKey.json)
        if arguments.has(.json) {
            console.printJSON([
                "key": .string(record.keyPlace.choice.name), "protection": .string(key.protection.rawValue),
                "alg": .string(key.algorithm.rawValue), "jkt": .string(key.publicKey.thumbprint.description),
                "jwk": publicKey,
            ])
            return
        }
        console.print(
            HelpText.table([
                ("key", SafeText.of(record.keyPlace.choice.name)), ("protection", key.protection.rawValue),
                ("algorithm", key.algorithm.rawValue), ("thumbprint", key.publicKey.thumbprint.description),
            ])
        )
        console.printJSON(publicKey)
    }
}
#endif
