// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import Foundation
import JOSE
import SQLiteStorage
import ServerStorage
import StorageSuite
import TestSupport
import Testing

@Suite("Copies of a SQLite database that is in use")
struct SQLiteBackupTests {
    @Test(.timeLimit(.minutes(2)))
    func `a copy is what the database was at one moment, while others write`() async throws {
        try await TemporaryDatabase.withStore { database, store async throws in
            let copy = database.path + ".copy"
            async let writing: Void = fill(store)
            while try await store.users().count < 20 { try await Task.sleep(for: .milliseconds(1)) }
            let before = try await store.users().count
            try await store.copy(to: copy)
            let after = try await store.users().count
            try await writing
            let restored = try await SQLiteAuthorizationStorage(path: copy)
            let names = try await restored.users().map(\.username)
            #expect((before...after).contains(names.count))
            // One after the other was written: a moment has no gaps.
            #expect(Set(names) == Set((0..<names.count).map { "name \($0)" }))
            #expect(try await restored.add(Sample.user("later", subject: "later")))
            await restored.close()
        }
    }

    @Test func `what is there already is not overwritten, and stays in use`() async throws {
        try await TemporaryDatabase.withStore { database, store async throws in
            #expect(try await store.add(Sample.user("ada", subject: "subject")))
            let copy = database.path + ".copy"
            try Data("something else".utf8).writePrivately(to: copy)
            let error = await #expect(throws: StorageError.self) { try await store.copy(to: copy) }
            #expect(error?.code == .corrupted)
            #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == Data("something else".utf8))
            #expect(try await store.users().count == 1)
        }
    }

    private func fill(_ store: SQLiteAuthorizationStorage) async throws {
        for index in 0..<200 {
            #expect(try await store.add(Sample.user("name \(index)", subject: "subject \(index)")))
        }
    }
}
