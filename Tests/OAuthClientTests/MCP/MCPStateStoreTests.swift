// SPDX-License-Identifier: Apache-2.0

import Foundation
import OAuthClient
import StrictJSON
import Testing

@Suite("Changes of what is known of MCP servers", .timeLimit(.minutes(1)))
struct MCPStateStoreTests {
    private struct Refusal: Error {}

    /// Runs a test with a store in files and with one in memory.
    private func forEachStore(_ body: (any MCPStateStore) async throws -> Void) async throws {
        try await body(MemoryMCPStateStore())
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(FileMCPStateStore(directory: directory))
    }

    @Test func `changes of a record at the same moment are all made`() async throws {
        try await forEachStore { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await store.updateRecord("server x") { stored in
                            var record = stored ?? [:]
                            record["\(number)"] = true
                            return record
                        }
                    }
                }
                try await group.waitForAll()
            }
            let record = try #require(try await store.record("server x"))
            #expect(record.members.count == 20)
        }
    }

    @Test func `a change may delete the record, and one that fails leaves it as it is`() async throws {
        try await forEachStore { store in
            try await store.save(["a": "1"], for: "server x")
            await #expect(throws: Refusal.self) {
                try await store.updateRecord("server x") { _ in throw Refusal() }
            }
            #expect(try await store.record("server x") == ["a": "1"])
            try await store.updateRecord("server x") { stored in
                guard stored == ["a": "1"] else { throw Refusal() }
                return nil
            }
            #expect(try await store.record("server x") == nil)
        }
    }

    @Test func `a file that could not be read again is not written`() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = FileMCPStateStore(directory: directory)
        try await store.save(["a": "1"], for: "server x")
        let long = JSONValue.string(String(repeating: "a", count: 65_536))
        let error = await clientError { try await store.updateRecord("server x") { _ in ["a": long] } }
        #expect(error?.code == .storageFailed)
        #expect(try await store.record("server x") == ["a": "1"])
    }

    /// A store of an app, which only reads and writes.
    private actor SimpleStore: MCPStateStore {
        private var records: [String: JSONObject] = [:]

        func record(_ key: String) -> JSONObject? { records[key] }
        func save(_ record: JSONObject?, for key: String) { records[key] = record }
    }

    @Test func `a store that only reads and writes can change records too`() async throws {
        let store = SimpleStore()
        try await store.updateRecord("server x") { _ in ["a": "1"] }
        #expect(await store.record("server x") == ["a": "1"])
        try await store.updateRecord("server x") { _ in nil }
        #expect(await store.record("server x") == nil)
    }
}
