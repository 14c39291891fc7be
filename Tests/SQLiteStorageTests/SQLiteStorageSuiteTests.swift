// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import SQLiteStorage
import ServerStorage
import StorageSuite
import Testing

@Suite("Storage in SQLite: what every driver must do")
struct SQLiteStorageSuiteTests {
    @Test(arguments: StorageCase.all)
    func `one store on a file`(_ storageCase: StorageCase) async throws {
        try await storageCase.run(Self.driver(handles: 1))
    }

    // Two connections of one process exclude each other exactly as those of two processes do.
    @Test(arguments: StorageCase.all)
    func `two stores on the same file`(_ storageCase: StorageCase) async throws {
        try await storageCase.run(Self.driver(handles: 2))
    }

    @Test func `lists accounts by user name, in the order of the bytes`() async throws {
        try await TemporaryDatabase.withStore { _, store async throws in
            #expect(try await store.users().isEmpty)
            for (index, name) in ["b", "a-2", "a"].enumerated() {
                #expect(try await store.add(Sample.user(name, subject: "s-\(index)")))
            }
            #expect(try await store.users().map(\.username) == ["a", "a-2", "b"])
        }
    }

    private static func driver(handles count: Int) -> StorageDriver {
        StorageDriver { body in
            try await TemporaryDatabase.withPath { database async throws in
                var stores: [SQLiteAuthorizationStorage] = []
                for _ in 0..<count { stores.append(try await SQLiteAuthorizationStorage(path: database.path)) }
                try await body(stores)
                for store in stores { await store.close() }
            }
        }
    }
}
