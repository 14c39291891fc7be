// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteStorage

/// A directory for one test, and the path of the database in it.
struct TemporaryDatabase: Sendable {
    let directory: String
    var path: String { directory + "/keybound.sqlite" }

    /// Where memory is used as a disk, if there is such a place: thousands of commits then take no time.
    private static let base =
        FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()

    /// Runs a test in a new directory and removes it.
    static func withPath<Result>(
        _ body: (TemporaryDatabase) async throws -> Result
    ) async throws -> Result {
        let directory = base + "/keybound-storage-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        return try await body(TemporaryDatabase(directory: directory))
    }

    /// Runs a test with a new store, closes the store and removes its directory.
    static func withStore<Result>(
        _ body: (TemporaryDatabase, SQLiteAuthorizationStorage) async throws -> Result
    ) async throws -> Result {
        try await withPath { database async throws in
            let store = try await SQLiteAuthorizationStorage(path: database.path)
            let result = try await body(database, store)
            await store.close()
            return result
        }
    }

    /// The bytes of a file in the directory.
    func contents(of name: String = "keybound.sqlite") throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))
    }

    /// The mode of a file in the directory, such as `0o600`.
    func mode(of name: String = "keybound.sqlite") throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: directory + "/" + name)[.posixPermissions] as? Int
    }
}

extension Data {
    /// Writes a file that only its owner may read, as those of a database must be.
    func writePrivately(to path: String) throws {
        try write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}
