// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCore
import OAuthSystem
import OAuthTransport
import SQLiteStorage
import ServerStorage

/// What the checks look at.
struct DoctorContext: Sendable {
    /// The settings of a server; `nil` if no configuration was named.
    let settings: ServerSettings?
    /// The configuration file, if there is one.
    let configurationFile: String?
    let machine: any MachineFacts
    let transport: any HTTPTransport
    /// The certificates that the server of an https URL presents.
    let certificates: @Sendable (_ url: String) async throws -> PresentedCertificates
    let clock: any WallClock
    /// The names of the variables of the environment that begin with `KEYBOUND_`.
    var variables: [String] = []

    /// The paths of the server's files; `nil` without settings.
    var paths: ServerPaths? {
        get throws { try settings.map(ServerPaths.init) }
    }

    /// The path of a SQLite database that exists; `nil` if the server has another database, or none yet.
    var databaseFile: String? {
        get throws {
            guard let paths = try paths, !paths.isDatabaseShared, InputFile.exists(at: paths.database) else {
                return nil
            }
            return paths.database
        }
    }

    /// The signing keys in the database; `nil` if there is no database of this version.
    func signingKeys() async throws -> [StoredSigningKey]? {
        guard let settings, let paths = try paths else { return nil }
        if !paths.isDatabaseShared {
            guard let file = try databaseFile, try await SQLiteInspection.read(file).isCurrent else { return nil }
        }
        return try await OperatorCommand.withStorage(settings, mustExist: true) { try await $0.signingKeys() }
    }
}
#endif
