// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

#if os(Linux)
import PostgreSQLStorage
import ServerStorage
#endif

/// The paths of a server's files.
struct ServerPaths: Sendable {
    /// The file of the database, or the address of one that several servers share.
    let database: String
    let keyDirectory: String

    init(_ settings: ServerSettings) throws {
        let data = try settings.text(.dataDirectory) ?? Self.standardDataDirectory()
        database = settings.text(.database) ?? data + "/keybound.db"
        keyDirectory = settings.text(.keyDirectory) ?? data + "/keys"
        #if os(Linux)
        guard isDatabaseShared || !database.contains(text: "://") else {
            throw CommandFailure.usage(
                "\(settings.place(of: .database)) is neither the path of a file nor an address that begins with postgresql://",
                hint: "other databases are not supported"
            )
        }
        #endif
    }

    #if os(Linux)
    /// The address of a database that several servers share; `nil` for a file.
    var sharedDatabase: PostgreSQLAddress? {
        get throws {
            guard isDatabaseShared else { return nil }
            do throws(StorageError) {
                return try PostgreSQLAddress(database)
            } catch {
                // A library that is missing may be installed while systemd tries again; a wrong address stays one.
                guard error.code == .cannotOpen else { throw error }
                throw CommandFailure.usage(error.reason)
            }
        }
    }

    /// Whether the database is not a file.
    var isDatabaseShared: Bool { PostgreSQLAddress.isAddress(database) }
    #else
    var isDatabaseShared: Bool { false }
    #endif

    private static func standardDataDirectory() throws -> String {
        // systemd separates several directories with colons; the first one is used.
        if let directories = ProcessEnvironment.value("STATE_DIRECTORY"),
            let first = directories.split(separator: ":").first
        {
            return String(first)
        }
        return try StateDirectory.path() + "/server"
    }

    /// Rejects the database of another user, before anything is made beside it that this one could not use.
    func requireOwnDatabase() throws {
        guard !isDatabaseShared, let hindrance = FileHindrance(database, isPrivate: true) else { return }
        throw CommandFailure(
            .unavailable,
            "cannot use the database \(SafeText.of(database)): \(hindrance.reason)",
            hint: hindrance.remedy
        )
    }

    /// Creates the directory of the database; the key store creates its own.
    func makeDirectories() throws {
        try requireOwnDatabase()
        for path in (isDatabaseShared ? [] : [database]) + [keyDirectory] {
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { continue }
            try PrivateDirectory.makeWithParents(at: String(path[..<slash]))
        }
    }
}
