// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
public import ServerStorage

/// Stores all data of an authorization server durably in one SQLite database.
///
/// An operation returns only after its changes have reached the disk: the database is in WAL mode with
/// `synchronous=FULL`. Operations that wait at the same time share one transaction, so many of them cost little more
/// than one. Several processes may open one file. Only its owner can read the file; it contains hashes of secrets, and
/// the secrets for nonces.
public final class SQLiteAuthorizationStorage: AuthorizationStorage {
    let writer: SQLiteWriter
    let reader: SQLiteReaders
    let singleUseCapacity: SingleUseCapacity

    /// Opens a database, and creates or migrates it first if needed.
    ///
    /// - Parameters:
    ///   - path: The file; its directory must exist and be writable. SQLite creates `<path>-wal` and `<path>-shm` next
    ///     to it.
    ///   - busyTimeout: How long an operation waits for a writer in another process.
    ///   - replayCapacity: How many proofs are stored at once, and how many entries of each other pool; about 200 bytes
    ///     each.
    ///   - replayCapacityPerKey: How many of them may belong to one key or client.
    /// - Throws: ``/ServerStorage/StorageError/Code/cannotOpen`` if the directory does not exist, or the file is not a database or
    ///   belongs to another program; such a file is not changed. ``/ServerStorage/StorageError/Code/unavailable`` if this
    ///   user can only read the file, or its file system is read-only. ``/ServerStorage/StorageError/Code/schemaTooNew``,
    ///   ``/ServerStorage/StorageError/Code/busy``, ``/ServerStorage/StorageError/Code/full``, ``/ServerStorage/StorageError/Code/corrupted``,
    ///   ``/ServerStorage/StorageError/Code/statementFailed``.
    public convenience init(
        path: String,
        busyTimeout: Duration = .seconds(5),
        replayCapacity: Int = 1_000_000,
        replayCapacityPerKey: Int = 50_000
    ) async throws(StorageError) {
        try await self.init(
            file: SQLiteFile(path: path, schema: .authorization, busyTimeout: busyTimeout),
            singleUseCapacity: SingleUseCapacity(granted: replayCapacity, perOwner: replayCapacityPerKey)
        )
    }

    init(
        file: SQLiteFile,
        singleUseCapacity: SingleUseCapacity = SingleUseCapacity()
    ) async throws(StorageError) {
        (writer, reader) = try await Self.open(file)
        self.singleUseCapacity = singleUseCapacity
    }

    /// How many operations wait for the disk; beyond 10000 they are rejected with ``/ServerStorage/StorageError/Code/busy``.
    public var waitingWrites: Int { writer.waitingCount }

    /// Whether the last write failed because the database file takes none.
    ///
    /// The disk is full or broken, or the file is read-only. The next write that succeeds ends this; a running server writes
    /// once a minute at least.
    public var isAway: Bool { writer.isFileRefusingWrites }

    /// Finishes all waiting operations, moves the log into the database file and closes it.
    ///
    /// Afterwards every operation throws ``/ServerStorage/StorageError/Code/closed``. A store that is released without closing loses
    /// nothing; its log is read at the next start.
    public func close() async {
        reader.close()
        await writer.close()
    }

    private static func open(_ file: SQLiteFile) async throws(StorageError) -> (SQLiteWriter, SQLiteReaders) {
        let result: Result<(SQLiteWriter, SQLiteReaders), StorageError> = await withCheckedContinuation {
            continuation in
            DispatchQueue(label: "keybound.sqlite.open").async {
                continuation.resume(returning: Result { () throws(StorageError) in try file.open() })
            }
        }
        return try result.get()
    }
}
#endif
