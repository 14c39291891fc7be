// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import DPoP
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
                + "the copy was made would otherwise be valid again, and so would used and removed registration "
                + "tokens, and sessions that were ended since would be open. Proofs that were used since are not "
                + "valid: the copy starts a new replay memory, which accepts no earlier nonce.",
            "Other changes made since are undone, and have to be made again: removed users and clients, new passwords "
                + "and secrets, withdrawn consents. If signing keys were revoked since, run keybound keys server "
                + "rotate --now --revoke: the revoked keys are in the copy and would sign again.",
            "A PostgreSQL database is backed up with the programs of PostgreSQL: pg_dump, or pg_basebackup and its log.",
        ],
        operands: [.required("FILE", "the file to write, which must not exist yet")],
        options: OperatorCommand.options,
        examples: [.init("Every night", "keybound db backup \"/var/backups/keybound-$(date +%F).sqlite\"")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let path = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        guard try !ServerPaths(settings).isDatabaseShared else {
            throw CommandFailure.usage(
                "a PostgreSQL database is not a file that can be copied",
                hint: "use pg_dump, and see docs/cluster.md"
            )
        }
        try await OperatorCommand.trailing(settings, console) { opened, trail in
            guard let storage = opened as? SQLiteAuthorizationStorage else { return }
            try PrivateFile.create(path)
            do {
                try await storage.copy(to: path)
                try await startReplayMemory(of: path)
                try PrivateFile.synchronize(path)
                trail.record(.databaseCopied, at: SystemWallClock().now(), detail: path)
            } catch {
                // A partial copy must not be mistaken for a backup.
                try? PrivateFile.delete(path)
                throw error
            }
        }
        console.note("copied to \(SafeText.of(path))")
    }

    /// The copy does not know the proofs that are used from now on.
    private static func startReplayMemory(of copy: String) async throws {
        let storage = try await SQLiteAuthorizationStorage(path: copy)
        let epoch = ReplayEpoch(startingAt: SystemWallClock().now(), entropy: SystemEntropy())
        do {
            try await storage.startReplayMemory(epoch)
        } catch {
            await storage.close()
            throw error
        }
        await storage.close()
    }
}
#endif
