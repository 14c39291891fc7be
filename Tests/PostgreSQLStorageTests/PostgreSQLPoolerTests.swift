// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import PostgreSQLServer
import ServerStorage
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite("PostgreSQL: behind a pooler for sessions", .disabled(if: PostgreSQLDatabases.areLeftOut))
struct PostgreSQLPoolerTests {
    /// What was found out about a process behind a pooler.
    private struct Sight: Sendable {
        let isMadeUp: Bool
        let isAnswered: Bool
        let isAtWork: Bool
    }

    /// Otherwise the driver would take each trial for one at another server, and leave a waiting process behind.
    @Test func `whether a process is still at work is found out, whatever the pooler calls it`() async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let parts = text.split(separator: "?host=")
            let proxy = try CuttingProxy(to: "\(parts[1])/.s.PGSQL.5432", hidesProcess: true)
            let address = try PostgreSQLAddress("\(parts[0])?host=\(proxy.directory)")
            let result = await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<Sight, StorageError>, Never>) in
                let isStarted = DetachedThread.start { continuation.resume(returning: Self.look(address)) }
                if !isStarted { continuation.resume(returning: .failure(.hasTooMuchWaiting)) }
            }
            proxy.stop()
            let sight = try result.get()
            #expect(sight.isMadeUp && !sight.isAnswered && sight.isAtWork)
        }
    }

    /// Leaves a statement behind for which nobody waits any more, and looks for its process over another connection.
    private static func look(_ address: PostgreSQLAddress) -> Result<Sight, StorageError> {
        do throws(StorageError) {
            let first = try PostgreSQLConnection.open(address, for: .slow)
            // Long enough for the statement to reach its process, also on a busy machine.
            first.deadline = .now + .seconds(3)
            let isAnswered = (try? first.run("SELECT pg_sleep(60)")) != nil
            let second = try PostgreSQLConnection.open(address, for: .slow)
            let isAtWork = try second.isAtWork(first.serverProcess)
            _ = try second.run("SELECT pg_cancel_backend($1::int)", [.integer(first.serverProcess)])
            let isMadeUp = Int64(first.processID) != first.serverProcess
            return .success(Sight(isMadeUp: isMadeUp, isAnswered: isAnswered, isAtWork: isAtWork))
        } catch {
            return .failure(error)
        }
    }
}
#endif
