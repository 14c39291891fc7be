// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import SQLiteStorage

extension DoctorCheck {
    static let version = DoctorCheck(.program, "version") { _ in
        [.good("keybound \(Version.number), with SQLite \(SQLiteInspection.libraryVersion)")]
    }

    /// Libraries that are loaded when something needs them.
    static let libraries = DoctorCheck(.program, "libraries") { context in
        let usesPostgreSQL = try context.paths?.isDatabaseShared ?? false
        let all: [(name: String, package: String, purpose: String, isNeeded: Bool)] = [
            ("libcurl.so.4", "libcurl4", "requests: login, request, and client documents", true),
            ("libpq.so.5", "libpq5", "a PostgreSQL database", usesPostgreSQL),
            ("libtss2-esys.so.0", "libtss2-esys-3.0.2-0", "keys in a TPM", false),
            ("libdbus-1.so.3", "libdbus-1-3", "keys in the keyring of the desktop", false),
        ]
        return all.map { library in
            if context.machine.canLoad(library.name) { return .good("\(library.name) is there") }
            let (text, advice) = (
                "\(library.name) is missing", "for \(library.purpose): apt install \(library.package)"
            )
            return library.isNeeded ? .failure(text, advice) : .note(text, advice)
        }
    }
}
#endif
