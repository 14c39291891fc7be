// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ServerStorage
import Synchronization
import Testing

@testable import SQLiteStorage

@Suite("Storage in SQLite: a disk that is too slow", .timeLimit(.minutes(2)))
struct SQLiteWriterLimitTests {
    private final class Progress: Sendable {
        let hasBegun = Atomic<Bool>(false)
        let refused = Atomic<Int>(0)
    }

    @Test func `more than may wait is rejected at once, and the rest is carried out`() async throws {
        try await TemporaryDatabase.withStore { database, _ async throws in
            let connection = try SQLiteConnection(path: database.path, access: .readAndWrite, busyTimeout: 0)
            try connection.run("CREATE TABLE numbers (number INTEGER) STRICT")
            let writer = SQLiteWriter(connection: connection, capacity: 10)
            let (gate, progress) = (DispatchSemaphore(value: 0), Progress())
            async let blocking: Void = writer.write { _ in
                progress.hasBegun.store(true, ordering: .relaxed)
                gate.wait()
            }
            while !progress.hasBegun.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(1)) }
            let outcomes = try await withThrowingTaskGroup(of: StorageError.Code?.self) { group in
                for number in 0..<13 {
                    group.addTask {
                        do throws(StorageError) {
                            try await writer.write { connection throws(StorageError) in
                                _ = try connection.run("INSERT INTO numbers VALUES (?)", [.count(number)])
                            }
                            return nil
                        } catch {
                            progress.refused.add(1, ordering: .relaxed)
                            return error.code
                        }
                    }
                }
                while progress.refused.load(ordering: .relaxed) < 3 { try await Task.sleep(for: .milliseconds(1)) }
                #expect(writer.waitingCount == 10)
                gate.signal()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await blocking
            #expect(outcomes.filter { $0 == nil }.count == 10 && outcomes.filter { $0 == .busy }.count == 3)
            let count = try await writer.write { connection throws(StorageError) in
                try connection.row("SELECT count(*) FROM numbers") { row throws(StorageError) in try row.count(0) }
            }
            #expect(count == 10 && writer.waitingCount == 0)
            await writer.close()
        }
    }
}
