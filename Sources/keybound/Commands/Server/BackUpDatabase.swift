// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import SQLiteStorage

/// `keybound db backup`.
enum BackUpDatabase: Command {
    static let syntax = CommandSyntax(
        "db backup",
        "copy the database while the server runs",
        details: [
            "The copy is what the database was at one moment, and only its owner can read it: it holds the names of people, "
                + "hashes of passwords and secrets, the secrets of nonces, and the signing keys, encrypted. The credential of "
                + "the keys is not in it: keep it elsewhere.",
            "To restore it, stop the server, put the copy in the place of the database, and remove the files -wal and -shm "
                + "beside it. What was spent after the copy was made would be good again then: run keybound grant revoke --all.",
        ],
        operands: [.required("FILE", "the file of the copy, which must not be there yet")],
        options: OperatorCommand.options,
        examples: [.init("Every night", "keybound db backup \"/var/backups/keybound-$(date +%F).sqlite\"")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let path = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        try await OperatorCommand.withStorage(settings, mustExist: true) { storage in
            try PrivateDirectory.createFile(path)
            do {
                try await storage.copy(to: path)
                try PrivateDirectory.synchronize(path)
            } catch {
                // Half a copy would be taken for one.
                try? PrivateDirectory.delete(path)
                throw error
            }
        }
        console.note("copied to \(SafeText.of(path))")
    }
}
#endif
