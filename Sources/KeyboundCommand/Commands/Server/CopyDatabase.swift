// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import PostgreSQLStorage
import SQLiteStorage
import ServerStorage
import StrictJSON

/// `keybound db copy`.
enum CopyDatabase: Command {
    /// How many rows are read and written at once.
    private static let step = 1000

    static let syntax = CommandSyntax(
        "db copy",
        "copy a SQLite file into a PostgreSQL database",
        details: [
            "Stop the server, run keybound db migrate for the new database, copy, and start the server with the new "
                + "database and the same key credential. Sign-ins, sessions and tokens go on. The new database must have "
                + "no rows yet. The numbers of rows of each table are compared at the end.",
            "Used proofs are left out: the new database starts a new replay memory, which accepts no earlier nonce.",
        ],
        operands: [.required("FILE", "the SQLite file, which no server uses")],
        options: OperatorCommand.options + [.json],
        examples: [
            .init(
                "Move to PostgreSQL",
                "keybound db copy /var/lib/keybound/keybound.db --database 'postgresql://keybound_owner@db.example/keybound'"
            )
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let path = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        guard let address = try ServerPaths(settings).sharedDatabase else {
            throw CommandFailure.usage("--database must name the postgresql:// address to copy to")
        }
        guard InputFile.exists(at: path) else {
            throw CommandFailure(.failure, "there is no database at \(SafeText.of(path))")
        }
        let source = try await SQLiteAuthorizationStorage(path: path)
        do {
            let target = try await PostgreSQLAuthorizationStorage(address)
            do {
                let counts = try await copy(source, to: target, console)
                report(counts, arguments, console)
            } catch {
                await target.close()
                throw error
            }
            await target.close()
        } catch {
            await source.close()
            throw error
        }
        await source.close()
    }

    private static func copy(
        _ source: SQLiteAuthorizationStorage,
        to target: PostgreSQLAuthorizationStorage,
        _ console: Console
    ) async throws -> [(table: String, rows: Int)] {
        for table in StoredTable.all {
            guard try await target.count(of: table) == 0 else {
                throw CommandFailure(
                    .failure,
                    "the table \(table.name) of the new database has rows",
                    hint: "copy into an empty one: DROP SCHEMA keybound CASCADE, then keybound db migrate"
                )
            }
        }
        var total = 0
        for table in StoredTable.all { total += try await source.count(of: table) }
        var progress = ProgressMeter("copied", "rows", of: total, console)
        defer { progress.finish() }
        var counts: [(table: String, rows: Int)] = []
        for table in StoredTable.all {
            var last: [StoredValue]?
            while true {
                let rows = try await source.rows(of: table, after: last, limit: step)
                try await target.insert(rows, into: table)
                last = rows.last
                progress.advance(by: rows.count)
                if rows.count < step { break }
            }
            let (old, new) = (try await source.count(of: table), try await target.count(of: table))
            guard old == new else {
                throw CommandFailure(
                    .failure,
                    "the table \(table.name) has \(old) rows in the file and \(new) in the new database",
                    hint: "a server is using one of them: stop it, and copy into an empty database"
                )
            }
            counts.append((table.name, new))
        }
        return counts
    }

    private static func report(
        _ counts: [(table: String, rows: Int)],
        _ arguments: ParsedArguments,
        _ console: Console
    ) {
        if arguments.has(.json) {
            var object: JSONObject = [:]
            for (table, rows) in counts { object[table] = .number(JSONNumber(Int64(rows))) }
            console.printJSON(.object(object))
            return
        }
        for (table, rows) in counts where rows > 0 { console.print("\(table): \(rows)") }
        console.note("copied \(counts.reduce(0) { $0 + $1.rows }) rows; every table has as many as the file")
    }
}
#endif
