// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage
import Synchronization

/// Executes all writes, with group commit.
///
/// Waiting operations run in one transaction, each as its own step: an operation that fails rolls back only its own
/// changes. No task resumes before the commit has reached the disk, so all operations share one wait for the disk.
final class SQLiteWriter: Sendable {
    private struct Waiting {
        var writes: [SQLiteWrite] = []
        var isBeingWorkedOff = false
    }

    /// The maximum number of operations in one transaction: more would delay the first one.
    private static let batchSize = 512

    private let capacity: Int
    private let thread: SQLiteThread
    private let waiting = Mutex(Waiting())
    private let isRefused = Atomic<Bool>(false)

    /// Takes ownership of a connection.
    ///
    /// - Parameters:
    ///   - connection: The connection; no other code uses it from now on.
    ///   - capacity: How many operations may wait. Further ones are rejected at once, which bounds memory and waiting
    ///     times.
    init(connection: sending SQLiteConnection, capacity: Int = 10_000) {
        self.capacity = capacity
        thread = SQLiteThread(label: "keybound.sqlite.writer", connection: connection)
    }

    var waitingCount: Int { waiting.withLock { $0.writes.count } }

    /// Whether the last write failed because the file takes none: the disk is full or broken, or the file is read-only.
    var isFileRefusingWrites: Bool { isRefused.load(ordering: .relaxed) }

    /// Carries out an operation and waits until it is durable.
    ///
    /// - Parameter body: The operation. It may run more than once, each time on a database in which it has not
    ///   happened. So it must only read and change the database.
    /// - Returns: What the operation returned.
    /// - Throws: What the operation threw, or ``StorageError/Code/busy``, ``StorageError/Code/full``,
    ///   ``StorageError/Code/closed``; nothing of it has happened then.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        let counted: @Sendable (SQLiteConnection) throws(StorageError) -> (value: Value, isChange: Bool) = {
            connection throws(StorageError) in
            let before = connection.totalChanges
            let value = try body(connection)
            return (value, connection.totalChanges != before)
        }
        let result: Result<(value: Value, isChange: Bool), StorageError> = await withCheckedContinuation {
            continuation in submit(SQLiteWrite(counted, resuming: continuation))
        }
        note(result.map { $0.isChange })
        return try result.get().value
    }

    /// If the last write failed, checks whether the file takes writes again.
    ///
    /// A server that is not ready gets no requests, so no other write would find out.
    func tryAgainIfRefused() async {
        guard isFileRefusingWrites else { return }
        _ = try? await write { connection throws(StorageError) in
            // No stored key is empty, so this touches no existing row, and it leaves none behind.
            try connection.run("INSERT INTO attempts (key, count, time, expires_at) VALUES (x'', 0, 0, 0)")
            try connection.run("DELETE FROM attempts WHERE key = x''")
        }
    }

    /// Notes how an operation ended, and whether it changed a row.
    private func note(_ result: Result<Bool, StorageError>) {
        switch result {
        // An operation that changes nothing writes nothing, so it succeeds on a full disk too.
        case .success(let isChange): if isChange { isRefused.store(false, ordering: .relaxed) }
        case .failure(let error) where [.full, .unavailable, .statementFailed].contains(error.code):
            isRefused.store(true, ordering: .relaxed)
        // A conflict, or too much at once, says nothing about the file.
        case .failure: break
        }
    }

    /// Executes all waiting operations, moves the log into the database file, and closes the connection.
    func close() async {
        await thread.close { connection in
            // Fails only while other processes read; the log then stays and is read at the next start.
            _ = try? connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    private func submit(_ write: SQLiteWrite) {
        let isFirst: Bool? = waiting.withLock { waiting in
            guard waiting.writes.count < capacity else { return nil }
            waiting.writes.append(write)
            defer { waiting.isBeingWorkedOff = true }
            return !waiting.isBeingWorkedOff
        }
        switch isFirst {
        case nil: write.fail(.hasTooMuchWaiting)
        case true?: thread.async { [self] connection in workOff(connection) }
        case false?: break
        }
    }

    private func workOff(_ connection: SQLiteConnection?) {
        while let batch = nextBatch() {
            if let connection {
                SQLiteWrite.commit(batch[...], on: connection)
            } else {
                for write in batch { write.fail(.wasClosed) }
            }
        }
    }

    private func nextBatch() -> [SQLiteWrite]? {
        waiting.withLock { waiting in
            guard !waiting.writes.isEmpty else {
                waiting.isBeingWorkedOff = false
                return nil
            }
            let batch = Array(waiting.writes.prefix(Self.batchSize))
            waiting.writes.removeFirst(batch.count)
            return batch
        }
    }
}
#endif
