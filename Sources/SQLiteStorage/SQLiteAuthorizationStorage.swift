// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
public import ServerStorage

/// Keeps everything an authorization server keeps in one SQLite database, durably.
///
/// What was answered has reached the disk: the database is in WAL mode with `synchronous=FULL`. Operations that wait at the
/// same time share one transaction, so that many of them cost little more than one. Several processes may open one file.
/// The file is made readable for its owner only; it holds hashes of secrets, and the secrets that nonces are made with.
public final class SQLiteAuthorizationStorage: AuthorizationStorage {
    let writer: SQLiteWriter
    let reader: SQLiteReaders
    let replayCapacity: Int
    let replayCapacityPerKey: Int

    /// Opens a database, and makes or migrates it first when needed.
    ///
    /// - Parameters:
    ///   - path: The file; its directory must exist and be writable. Beside it SQLite keeps `<path>-wal` and `<path>-shm`.
    ///   - busyTimeout: How long an operation waits for another process that writes.
    ///   - replayCapacity: How many proofs are remembered at once; about 200 bytes each.
    ///   - replayCapacityPerKey: How many of them may be of one key.
    /// - Throws: ``/ServerStorage/StorageError/Code/cannotOpen`` when there is no such directory, or the file is no database or
    ///   another program's; such a file is left as it is. ``/ServerStorage/StorageError/Code/schemaTooNew``,
    ///   ``/ServerStorage/StorageError/Code/busy``, ``/ServerStorage/StorageError/Code/full``,
    ///   ``/ServerStorage/StorageError/Code/corrupted``, ``/ServerStorage/StorageError/Code/statementFailed``.
    public convenience init(
        path: String,
        busyTimeout: Duration = .seconds(5),
        replayCapacity: Int = 1_000_000,
        replayCapacityPerKey: Int = 50_000
    ) async throws(StorageError) {
        try await self.init(
            file: SQLiteFile(path: path, schema: .authorization, busyTimeout: busyTimeout),
            replayCapacity: replayCapacity,
            replayCapacityPerKey: replayCapacityPerKey
        )
    }

    init(
        file: SQLiteFile,
        replayCapacity: Int = 1_000_000,
        replayCapacityPerKey: Int = 50_000
    ) async throws(StorageError) {
        (writer, reader) = try await Self.open(file)
        self.replayCapacity = replayCapacity
        self.replayCapacityPerKey = replayCapacityPerKey
    }

    /// How many operations wait for the disk; beyond 10000 they are refused with ``/ServerStorage/StorageError/Code/busy``.
    public var waitingWrites: Int { writer.waitingCount }

    /// Finishes what was begun, moves the log into the database file and closes it.
    ///
    /// Afterwards every operation throws ``/ServerStorage/StorageError/Code/closed``. A store that is simply let go loses
    /// nothing; its log is read again at the next start.
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
