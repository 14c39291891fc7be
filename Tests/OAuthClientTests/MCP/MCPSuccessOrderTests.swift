// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite("MCP: what a sign-in stores first", .timeLimit(.minutes(1)))
struct MCPSuccessOrderTests {
    /// Remembers what was stored of the registration whenever the record of an MCP server was.
    private final class WatchingStore: MCPStateStore {
        private static let registration = "client \(MCPWorld.issuer) http://127.0.0.1/callback"

        private let records = MemoryMCPStateStore()
        private let seen = Mutex<[JSONValue?]>([])
        var sessionsAtEachSave: [JSONValue?] { seen.withLock(\.self) }

        func record(_ key: String) async -> JSONObject? { await records.record(key) }

        func save(_ record: JSONObject?, for key: String) async throws {
            await look(key)
            await records.save(record, for: key)
        }

        func updateRecord(
            _ key: String,
            _ change: @escaping @Sendable (JSONObject?) throws -> JSONObject?
        ) async throws {
            await look(key)
            try await records.updateRecord(key, change)
        }

        private func look(_ key: String) async {
            guard key.hasPrefix("server ") else { return }
            let sessions = await records.record(Self.registration)?["keybound_sessions"]
            seen.withLock { $0.append(sessions) }
        }
    }

    @Test func `a session that is stored never has a client that counts as unused`() async throws {
        let store = WatchingStore()
        let world = MCPWorld()
        let authorization = try MCPAuthorization(
            for: MCPWorld.server,
            as: MCPClientIdentity(name: "Agent"),
            using: MCPUser(world: world),
            store: store,
            transport: world,
            clock: FixedClock(),
            entropy: SeededEntropy()
        )
        _ = try await authorization.session()
        let noted: [JSONValue?] = [.strings([MCPWorld.server])]
        #expect(store.sessionsAtEachSave == noted)
    }
}
