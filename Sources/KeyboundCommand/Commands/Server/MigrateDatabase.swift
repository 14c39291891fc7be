// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import PostgreSQLStorage
import StrictJSON

/// `keybound db migrate`.
enum MigrateDatabase: Command {
    static let syntax = CommandSyntax(
        "db migrate",
        "create or update the tables of a database",
        details: [
            "A server does not change the tables of a PostgreSQL database itself: its role does not need that right. "
                + "Run this once before the first server starts, and after each update before the first new one does; "
                + "servers of the previous version keep working in the meantime. A SQLite file is updated when it is opened.",
            "Migrations only go forward. Make a backup first.",
        ],
        options: OperatorCommand.options + [.json],
        examples: [
            .init(
                "As the owner of the tables",
                "keybound db migrate --database 'postgresql://keybound_owner@db.example/keybound?sslrootcert=db-ca.pem'"
            )
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let places = try ServerPaths(settings)
        guard let address = try places.sharedDatabase else {
            try await OperatorCommand.withStorage(settings) { _ in }
            console.note("\(SafeText.of(places.database)) is up to date")
            return
        }
        let (old, new) = try await PostgreSQLAuthorizationStorage.migrate(address)
        if arguments.has(.json) {
            console.printJSON(["from": .number(JSONNumber(Int64(old))), "to": .number(JSONNumber(Int64(new)))])
        } else if old == new {
            console.note("the database has schema version \(new) already")
        } else {
            console.note("migrated the database from schema version \(old) to \(new)")
        }
    }
}
#endif
