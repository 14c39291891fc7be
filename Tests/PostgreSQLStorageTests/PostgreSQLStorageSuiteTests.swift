// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import PostgreSQLServer
import PostgreSQLStorage
import ServerStorage
import StorageSuite
import Testing

@Suite("Storage in PostgreSQL: what every driver must do", .disabled(if: PostgreSQLDatabases.areLeftOut))
struct PostgreSQLStorageSuiteTests {
    // The other stores are those of a superuser.
    @Test(arguments: StorageCase.all)
    func `one store on a database, with the rights that the driver asks for and no others`(
        _ storageCase: StorageCase
    ) async throws {
        try await storageCase.run(Self.driver(handles: 1, withLeastRights: true))
    }

    // Two stores of one process have connections of their own, as those of two processes do.
    @Test(arguments: StorageCase.all)
    func `two stores on the same database`(_ storageCase: StorageCase) async throws {
        try await storageCase.run(Self.driver(handles: 2))
    }

    // What records a proof with a nonce goes out in one message with what waits at the same time.
    @Test(arguments: StorageCase.all)
    func `two stores, and a proof with each change`(_ storageCase: StorageCase) async throws {
        try await storageCase.run(Self.driver(handles: 2).recordingProofs)
    }

    private static func driver(handles count: Int, withLeastRights isLeast: Bool = false) -> StorageDriver {
        StorageDriver { body in
            try await PostgreSQLDatabases.shared.withDatabase { text async throws in
                var address = try PostgreSQLAddress(text)
                if isLeast { address = try await PostgreSQLAddress(PostgreSQLLeastRole.address(of: text)) }
                var stores: [PostgreSQLAuthorizationStorage] = []
                for _ in 0..<count { stores.append(try await PostgreSQLAuthorizationStorage(address)) }
                try await body(stores)
                for store in stores { await store.close() }
            }
        }
    }
}
