// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import PostgreSQLStorage
import SQLiteStorage

extension DoctorCheck {
    /// Whether this program fits the database.
    static let schema = DoctorCheck(.database, "schema") { context in
        guard let paths = try context.paths else { return [] }
        if let address = try paths.sharedDatabase {
            let (found, oldest, needed) = try await PostgreSQLAuthorizationStorage.schemaVersion(address)
            guard found >= needed, oldest <= needed else {
                return [
                    .failure(
                        "the database has schema version \(found), and this program needs \(needed)",
                        found < needed ? "keybound db migrate" : "install the newer program"
                    )
                ]
            }
            // Throws what a server would refuse to start with, such as a right that its role lacks.
            try await PostgreSQLAuthorizationStorage.check(address)
            let answers = DoctorFinding.good("PostgreSQL answers, with schema version \(found)")
            let lossy = try await PostgreSQLAuthorizationStorage.lossySettings(address)
            guard let warning = ServerDatabase.warning(lossySettings: lossy) else { return [answers] }
            return [answers, .warning(warning, "set \(lossy.joined(separator: ", ")) to on, and reload PostgreSQL")]
        }
        guard let file = try context.databaseFile else {
            return [
                .note(
                    "there is no database at \(SafeText.of(paths.database))",
                    "the first start creates it; if there was one, restore it before"
                )
            ]
        }
        let facts = try await SQLiteInspection.read(file)
        guard facts.isCurrent else {
            return [
                .note(
                    "the database has schema version \(facts.schemaVersion), and the next start brings it to "
                        + "\(facts.programVersion)",
                    "run keybound db backup first: the only way back is a copy"
                )
            ]
        }
        return [.good("the database has schema version \(facts.schemaVersion)")]
    }

    static let integrity = DoctorCheck(.database, "integrity") { context in
        guard let file = try context.databaseFile else { return [] }
        let damage = try await SQLiteInspection.read(file, checkingPages: true).damage
        guard let first = damage.first else { return [.good("every page of the database is sound")] }
        return [
            .failure(
                "the database is damaged: \(SafeText.of(first))",
                "stop the server, keep the file, and restore the last backup"
            )
        ]
    }
}
#endif
