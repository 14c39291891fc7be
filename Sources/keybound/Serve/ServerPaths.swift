// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// The paths of a server's files.
struct ServerPaths: Sendable {
    let database: String
    let keyDirectory: String

    init(_ settings: ServerSettings) throws {
        let data = try settings.text(.dataDirectory) ?? Self.standardDataDirectory()
        database = settings.text(.database) ?? data + "/keybound.db"
        keyDirectory = settings.text(.keyDirectory) ?? data + "/keys"
    }

    private static func standardDataDirectory() throws -> String {
        // systemd separates several directories with colons; the first one is used.
        if let directories = ProcessEnvironment.value("STATE_DIRECTORY"),
            let first = directories.split(separator: ":").first
        {
            return String(first)
        }
        return try StateDirectory.path() + "/server"
    }

    /// Creates the directory of the database; the key store creates its own.
    func makeDirectories() throws {
        for path in [database, keyDirectory] {
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { continue }
            try PrivateDirectory.makeWithParents(at: String(path[..<slash]))
        }
    }
}
