// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import SQLiteStorage

/// `keybound db backup`.
enum BackUpDatabase: Command {
    static let syntax = CommandSyntax(
        "db backup",
        "copy the database while the server runs",
        details: [
            "The copy is a consistent snapshot of the database. Only its owner can read it: it contains user names, "
                + "hashes of passwords and secrets, the nonce secrets, and the encrypted signing keys. The credential "
                + "of the keys is not in it: store that elsewhere.",
            "To restore it, stop the server, replace the database with the copy, and remove the -wal and -shm files "
                + "next to it. Then run keybound grant revoke --all: codes and refresh tokens that were used after "
                + "the copy was made would otherwise be valid again.",
        ],
        operands: [.required("FILE", "the file to write, which must not exist yet")],
        options: OperatorCommand.options,
        examples: [.init("Every night", "keybound db backup \"/var/backups/keybound-$(date +%F).sqlite\"")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let path = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        try await OperatorCommand.withStorage(settings, mustExist: true) { storage in
            try PrivateFile.create(path)
            do {
                try await storage.copy(to: path)
                try PrivateFile.synchronize(path)
            } catch {
                // A partial copy must not be mistaken for a backup.
                try? PrivateFile.delete(path)
                throw error
            }
        }
        console.note("copied to \(SafeText.of(path))")
    }
}
#endif
