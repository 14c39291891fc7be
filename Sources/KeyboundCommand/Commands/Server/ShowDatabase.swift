// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import PostgreSQLStorage
import StrictJSON

/// `keybound db status`.
enum ShowDatabase: Command {
    static let syntax = CommandSyntax(
        "db status",
        "check whether this program and the tables of a PostgreSQL database match",
        details: ["Ends with an error if it does not, and says what to do."],
        options: OperatorCommand.options + [.json],
        examples: [.init("Before an update", "keybound db status")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let places = try ServerPaths(settings)
        guard let address = try places.sharedDatabase else {
            throw CommandFailure.usage(
                "\(SafeText.of(places.database)) is a SQLite file, which is updated when it is opened",
                hint: "--database names a postgresql:// address"
            )
        }
        let (found, oldest, needed) = try await PostgreSQLAuthorizationStorage.schemaVersion(address)
        if arguments.has(.json) {
            console.printJSON([
                "schema": .number(JSONNumber(Int64(found))),
                "oldest_program": .number(JSONNumber(Int64(oldest))),
                "program": .number(JSONNumber(Int64(needed))),
            ])
        } else {
            console.print("schema     \(found), for programs of version \(oldest) or later")
            console.print("program    \(needed)")
        }
        // Throws the error with which a server would refuse to start.
        try await OperatorCommand.withStorage(settings) { _ in }
    }
}
#endif
