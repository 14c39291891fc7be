// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import SQLiteStorage
import StrictJSON

/// `keybound gc`.
enum CollectGarbage: Command {
    static let syntax = CommandSyntax(
        "gc",
        "delete what has expired",
        details: [
            "A server that runs does this every minute by itself; the command is for a database without one. Works in small "
                + "steps: a server that runs meanwhile hardly waits."
        ],
        options: OperatorCommand.options + [.json],
        examples: [.init("Before a backup", "keybound gc")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let count = try await OperatorCommand.withStorage(settings, mustExist: true) { storage in
            var count = 0
            try await ExpiryCollector(clock: SystemWallClock(), delete: storage.deleteExpired).collect { count += $0 }
            return count
        }
        if arguments.has(.json) {
            console.printJSON(["deleted": .number(JSONNumber(Int64(count)))])
        } else {
            console.note("deleted \(count) records that had expired")
        }
    }
}
#endif
