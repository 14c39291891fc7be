// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import ServerStorage

/// Shared by the operator commands.
///
/// They work on the database of a server, which may be running.
enum OperatorCommand {
    /// The options that choose the database.
    static let options = [ServerSettings.configuration] + Setting.storage.map(\.option)

    /// Works on the database and records changes in the audit log.
    static func administering<Result>(
        _ settings: ServerSettings,
        _ console: Console,
        mustExist: Bool = false,
        _ work: (ServerAdministration) async throws -> Result
    ) async throws -> Result {
        try await recording(settings, console, mustExist: mustExist) { storage, audit in
            try await work(ServerAdministration(storage: storage, audit: audit, operatorName: ProcessFacts.user()))
        }
    }

    /// Works on the database with a trail of the operator in the audit log.
    static func trailing<Result>(
        _ settings: ServerSettings,
        _ console: Console,
        _ work: (any AuthorizationStorage, OperatorTrail) async throws -> Result
    ) async throws -> Result {
        try await recording(settings, console, mustExist: true) { storage, audit in
            try await work(storage, OperatorTrail(audit, operatorName: ProcessFacts.user()))
        }
    }

    /// Opens the audit log and the database, and closes both after the work, whether it succeeds or not.
    private static func recording<Result>(
        _ settings: ServerSettings,
        _ console: Console,
        mustExist: Bool,
        _ work: (any AuthorizationStorage, AuditLog?) async throws -> Result
    ) async throws -> Result {
        // Before the audit log, which another user could make and the server not write.
        try ServerPaths(settings).requireOwnDatabase()
        let audit = try AuditLog(settings) { console.warn($0) }
        do {
            let result = try await withStorage(settings, mustExist: mustExist) { try await work($0, audit) }
            await audit?.writer.flush()
            return result
        } catch {
            await audit?.writer.flush()
            throw error
        }
    }

    /// Removes the record that the operand names, after asking.
    static func removing(
        _ arguments: ParsedArguments,
        _ console: Console,
        question: (ServerAdministration, String) async throws -> String,
        remove: (ServerAdministration, String) async throws -> Void
    ) async throws {
        let name = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        try await administering(settings, console, mustExist: true) { administration in
            if !arguments.has(Confirmation.yes) {
                try Confirmation.obtain(try await question(administration, name), arguments)
            }
            try await remove(administration, name)
        }
        console.note("removed \(SafeText.of(name))")
    }

    /// Opens the database, and closes it after the work.
    ///
    /// With `mustExist` no database is created: the path may be mistyped.
    static func withStorage<Result>(
        _ settings: ServerSettings,
        mustExist: Bool = false,
        _ work: (any AuthorizationStorage) async throws -> Result
    ) async throws -> Result {
        let places = try ServerPaths(settings)
        if mustExist, !places.isDatabaseShared, !InputFile.exists(at: places.database) {
            throw CommandFailure(
                .failure,
                "there is no database at \(SafeText.of(places.database))",
                hint: "keybound client add and keybound serve create one; --database names another"
            )
        }
        try places.makeDirectories()
        return try await ServerDatabase.with(places, work)
    }
}
#endif
