// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import PostgreSQLStorage
import SQLiteStorage
import ServerStorage

/// The opened database of a server: a file, or one that several servers share.
enum ServerDatabase: Sendable {
    case file(SQLiteAuthorizationStorage)
    case shared(PostgreSQLAuthorizationStorage)

    /// Opens the database that the settings name; a file is created if it does not exist.
    static func open(_ places: ServerPaths) async throws -> ServerDatabase {
        if let address = try places.sharedDatabase {
            return .shared(try await PostgreSQLAuthorizationStorage(address))
        }
        return .file(try await SQLiteAuthorizationStorage(path: places.database))
    }

    /// Opens the database that the settings name, and closes it after the work.
    static func with<Result>(
        _ places: ServerPaths,
        _ work: (any AuthorizationStorage) async throws -> Result
    ) async throws -> Result {
        let database = try await open(places)
        do {
            let result = try await work(database.storage)
            await database.close()
            return result
        } catch {
            await database.close()
            throw error
        }
    }

    var storage: any AuthorizationStorage {
        switch self {
        case .file(let storage): storage
        case .shared(let storage): storage
        }
    }

    /// What an operator should know who believes that nothing is lost that was answered; `nil` for nothing.
    var warning: String? {
        guard case .shared(let storage) = self else { return nil }
        return Self.warning(lossySettings: storage.lossySettings)
    }

    /// The same, for settings that are not on.
    static func warning(lossySettings: [String]) -> String? {
        guard !lossySettings.isEmpty else { return nil }
        let settings = lossySettings.joined(separator: " and ") + (lossySettings.count == 1 ? " is" : " are")
        return
            "PostgreSQL may lose what it has confirmed, since \(settings) not on: after a crash, a used refresh token may "
            + "be valid again"
    }

    /// How many operations wait for it.
    var waitingWrites: Int {
        switch self {
        case .file(let storage): storage.waitingWrites
        case .shared(let storage): storage.waitingWrites
        }
    }

    /// Whether it cannot be reached, or its file takes no writes.
    var isAway: Bool {
        switch self {
        case .file(let storage): storage.isAway
        case .shared(let storage): storage.isAway
        }
    }

    /// Finishes what waits, and closes it.
    func close() async {
        switch self {
        case .file(let storage): await storage.close()
        case .shared(let storage): await storage.close()
        }
    }
}
#endif
