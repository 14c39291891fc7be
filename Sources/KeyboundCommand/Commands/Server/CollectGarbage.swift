// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import ServerStorage
import StrictJSON

/// `keybound gc`.
enum CollectGarbage: Command {
    static let syntax = CommandSyntax(
        "gc",
        "delete expired records",
        details: [
            "A running server does this every minute; the command is for a database without a running server. It "
                + "works in small steps, so that it hardly delays a server on the same database."
        ],
        options: OperatorCommand.options + [.json],
        examples: [.init("Before a backup", "keybound gc")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let count = try await OperatorCommand.withStorage(settings, mustExist: true) { storage in
            let clocks = ClockComparison(of: storage)
            try await clocks.requireAgreement()
            var progress = ProgressMeter("deleted", "expired records", console)
            defer { progress.finish() }
            let collector = ExpiryCollector(clock: SystemWallClock(), delete: clocks.guarding(storage.deleteExpired))
            try await collector.collect { progress.advance(by: $0) }
            return progress.count
        }
        if arguments.has(.json) {
            console.printJSON(["deleted": .number(JSONNumber(Int64(count)))])
        } else {
            console.note("deleted \(count) expired records")
        }
    }
}
#endif
