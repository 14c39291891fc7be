// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ServerStorage
import StorageSuite
import Testing

@testable import SQLiteStorage

@Suite("Storage in SQLite: opening a database")
struct SQLiteOpeningTests {
    @Test func `makes the database and its log for the owner only`() async throws {
        try await TemporaryDatabase.withStore { database, store async throws in
            #expect(try await store.add(Sample.client()))
            for suffix in ["", "-wal", "-shm"] {
                #expect(try database.mode(of: "keybound.sqlite" + suffix) == 0o600)
            }
        }
    }

    @Test(arguments: ["", "-wal", "-shm"], [0o644, 0o640, 0o620, 0o602, 0o604, 0o660])
    func `does not open files that others may read or change`(suffix: String, mode: Int) async throws {
        try await TemporaryDatabase.withPath { database async throws in
            try await SQLiteAuthorizationStorage(path: database.path).close()
            let file = database.path + suffix
            if !suffix.isEmpty { try Data().writePrivately(to: file) }
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            let error = await #expect(throws: StorageError.self) {
                try await SQLiteAuthorizationStorage(path: database.path)
            }
            #expect(error?.code == .cannotOpen)
            #expect(error?.description.contains("\(file) can be ") == true, "\(error?.description ?? "")")
            #expect(error?.description.contains("chmod 600") == true)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            try await SQLiteAuthorizationStorage(path: database.path).close()
        }
    }

    @Test func `does not open a file that everybody can exchange`() async throws {
        try await TemporaryDatabase.withPath { database async throws in
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: database.directory)
            let error = await #expect(throws: StorageError.self) {
                try await SQLiteAuthorizationStorage(path: database.path)
            }
            #expect(error?.description.contains("chmod o-w") == true, "\(error?.description ?? "")")
            try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: database.directory)
            try await SQLiteAuthorizationStorage(path: database.path).close()
        }
    }

    @Test func `closing leaves one file that holds everything`() async throws {
        try await TemporaryDatabase.withStore { database, store async throws in
            #expect(try await store.add(Sample.client()))
            await store.close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: database.directory) == ["keybound.sqlite"])
            let again = try await SQLiteAuthorizationStorage(path: database.path)
            #expect(try await again.clients() == [Sample.client()])
            await again.close()
        }
    }

    @Test func `every operation of a closed store says so, and closing twice is fine`() async throws {
        try await TemporaryDatabase.withStore { _, store async throws in
            await store.close()
            await store.close()
            await #expect { try await store.clients() } throws: { ($0 as? StorageError)?.code == .closed }
            await #expect { try await store.add(Sample.client()) } throws: { ($0 as? StorageError)?.code == .closed }
        }
    }

    @Test func `eight stores that make one file at once agree`() async throws {
        try await TemporaryDatabase.withPath { database async throws in
            let stores = try await withThrowingTaskGroup(of: SQLiteAuthorizationStorage.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await SQLiteAuthorizationStorage(path: database.path) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (index, store) in stores.enumerated() {
                #expect(try await store.add(Sample.client("client \(index)")))
            }
            #expect(try await stores.first?.clients().count == 8)
            for store in stores { await store.close() }
        }
    }

    @Test func `refuses a file that is no database, and leaves it as it is`() async throws {
        try await TemporaryDatabase.withPath { database async throws in
            let text = Data(String(repeating: "not a database, but somebody's notes\n", count: 100).utf8)
            try text.writePrivately(to: database.path)
            await expect(.corrupted, opening: database.path)
            #expect(try database.contents() == text)
        }
    }

    @Test func `refuses the database of another program, and leaves it as it is`() async throws {
        for statement: SQL in [
            "CREATE TABLE notes (text TEXT)", "PRAGMA application_id = 7", "PRAGMA user_version = 1",
        ] {
            try await TemporaryDatabase.withPath { database async throws in
                try Data().writePrivately(to: database.path)
                do {
                    let other = try SQLiteConnection(path: database.path, access: .readAndWrite, busyTimeout: 0)
                    try other.run(statement)
                }
                let before = try database.contents()
                await expect(.cannotOpen, opening: database.path)
                #expect(try database.contents() == before)
            }
        }
    }

    @Test func `refuses a directory that does not exist or takes no files`() async throws {
        try await TemporaryDatabase.withPath { database async throws in
            await expect(.cannotOpen, opening: database.directory + "/missing/keybound.sqlite")
            await expect(.cannotOpen, opening: "/proc/keybound.sqlite")
            await expect(.cannotOpen, opening: database.directory)
        }
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may write everywhere"))
    func `refuses a directory that may not be written to`() async throws {
        try await TemporaryDatabase.withPath { database async throws in
            try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: database.directory)
            await expect(.cannotOpen, opening: database.path)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: database.directory)
        }
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may write everywhere"))
    func `refuses a file that this user can only read, and names it`() async throws {
        try await TemporaryDatabase.withPath { database async throws in
            try await SQLiteAuthorizationStorage(path: database.path).close()
            try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: database.path)
            let error = await #expect(throws: StorageError.self) {
                try await SQLiteAuthorizationStorage(path: database.path)
            }
            #expect(error?.code == .unavailable)
            #expect(error?.reason.contains(database.path) == true)
        }
    }

    @Test func `a write to a file that takes none is answered as unavailable, and noticed`() async throws {
        try await TemporaryDatabase.withStore { database, _ async throws in
            let writer = SQLiteWriter(
                connection: try SQLiteConnection(path: database.path, access: .readOnly, busyTimeout: 0)
            )
            let error = await #expect(throws: StorageError.self) {
                try await writer.write { connection throws(StorageError) in
                    _ = try connection.run("DELETE FROM attempts")
                }
            }
            #expect(error?.code == .unavailable)
            #expect(writer.isFileRefusingWrites)
            await writer.close()
        }
    }

    /// SQLITE_READONLY, SQLITE_READONLY_DIRECTORY, SQLITE_CANTOPEN, SQLITE_CANTOPEN_DIRTYWAL.
    @Test(arguments: [8, 8 | 6 << 8, 14, 14 | 5 << 8] as [Int32])
    func `results of files that cannot be written or opened are of the same code`(result: Int32) {
        #expect(StorageError(sqliteResult: result, message: "").code == .unavailable)
    }

    @Test(arguments: ["", "a\u{0}b"])
    func `refuses a path that names no file`(path: String) async {
        await expect(.cannotOpen, opening: path)
    }

    private func expect(_ code: StorageError.Code, opening path: String) async {
        await #expect {
            try await SQLiteAuthorizationStorage(path: path)
        } throws: {
            ($0 as? StorageError)?.code == code
        }
    }
}
