// SPDX-License-Identifier: Apache-2.0

import Foundation
import OAuthSystem
import ServerStorage
import StorageSuite
import Testing

@testable import SQLiteStorage

@Suite("Storage in SQLite: what refreshes leave behind")
struct SQLiteSizeTests {
    private static let grants = 1000
    /// How often each grant is refreshed; `KEYBOUND_REFRESHES` measures more.
    private static let rounds = ProcessInfo.processInfo.environment["KEYBOUND_REFRESHES"].flatMap(Int.init) ?? 3

    @Test func `a database does not grow with each refresh`() async throws {
        try await TemporaryDatabase.withStore { _, store async throws in
            for grant in 0..<Self.grants { try await store.signInForToken("\(grant)") }
            try await refresh(store, round: 0)
            let before = try await pages(store)
            for round in 1...Self.rounds { try await refresh(store, round: round) }
            let after = try await pages(store)
            // A row that becomes longer, since it now has a previous token, may need a page more.
            #expect(after <= before + before / 20, "\(before) pages after the first refresh, \(after) at the end")
        }
    }

    /// Refreshes every grant once, each with a proof, and cleans as a server does.
    private func refresh(_ store: SQLiteAuthorizationStorage, round: Int) async throws {
        let now = Sample.now + Duration.seconds(600 * round)
        try await withThrowingTaskGroup { group in
            for grant in 0..<Self.grants {
                group.addTask {
                    let rotation = try await store.rotate(
                        Sample.tokenSecret("\(grant) \(round)"),
                        to: Sample.token("\(grant) \(round + 1)", grant: "\(grant)"),
                        grace: .seconds(30),
                        recording: .proof(Sample.replayKey("\(grant) \(round)"), until: now + .seconds(300)),
                        at: now
                    )
                    #expect(rotation == .done(.rotated))
                }
            }
            try await group.waitForAll()
        }
        _ = try await store.deleteExpired(at: now + .seconds(599), limit: .max)
    }

    private func pages(_ store: SQLiteAuthorizationStorage) async throws -> Int {
        let pages = try await store.reader.perform { connection throws(StorageError) in
            try connection.row("PRAGMA page_count") { row throws(StorageError) in try row.count(0) }
        }
        return try #require(pages)
    }
}
