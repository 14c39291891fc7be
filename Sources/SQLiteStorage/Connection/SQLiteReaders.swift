// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import ServerStorage
import Synchronization

/// Connections that only read, used on whatever thread asks.
///
/// What is asked for is one row or a few, by its key, and mostly in memory: some ten microseconds, where handing it to a
/// thread and back costs several times that. Readers of a write-ahead log wait for no writer.
final class SQLiteReaders: Sendable {
    private final class Reader: Sendable {
        let connection: Mutex<SQLiteConnection?>

        init(_ connection: sending SQLiteConnection) {
            self.connection = Mutex(connection)
        }
    }

    private let readers: [Reader]

    /// Opens connections.
    ///
    /// - Parameters:
    ///   - count: How many: as many threads can read at once, and one that waits for the disk holds up nobody else.
    ///   - open: Opens one; nobody else uses it from then on.
    /// - Throws: What `open` threw.
    init(
        _ count: Int,
        open: () throws(StorageError) -> sending SQLiteConnection
    ) throws(StorageError) {
        var readers: [Reader] = []
        for _ in 0..<count { readers.append(Reader(try open())) }
        self.readers = readers
    }

    /// Runs a function that only reads, on a connection that is free, or after those that wait for the same one.
    ///
    /// - Throws: What the function threw, or ``StorageError/Code/closed``.
    func perform<Value: Sendable>(
        _ body: @Sendable (SQLiteConnection) throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        // The last first, and the others only beside it: each reads from the file what a commit changed, once. What takes
        // long is never on the last.
        for reader in readers.reversed() {
            if let result = reader.connection.withLockIfAvailable({ Self.attempt(body, on: &$0) }) {
                return try result.get()
            }
        }
        return try readers[readers.count - 1].connection.withLock { Self.attempt(body, on: &$0) }.get()
    }

    /// Runs a function that reads for long, the whole database for example, on a thread of its own; others go on meanwhile.
    ///
    /// - Throws: What the function threw, or ``StorageError/Code/closed``.
    func performSlowly<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        let result: Result<Value, StorageError> = await withCheckedContinuation { continuation in
            DispatchQueue(label: "keybound.sqlite.reader").async { [readers] in
                continuation.resume(returning: readers[0].connection.withLock { Self.attempt(body, on: &$0) })
            }
        }
        return try result.get()
    }

    private static func attempt<Value: Sendable>(
        _ body: @Sendable (SQLiteConnection) throws(StorageError) -> Value,
        on connection: inout SQLiteConnection?
    ) -> Result<Value, StorageError> {
        Result { () throws(StorageError) in
            guard let connection else { throw .wasClosed }
            return try body(connection)
        }
    }

    /// Closes the connections, each after what is being read; a second time does nothing.
    func close() {
        for reader in readers { reader.connection.withLock { $0 = nil } }
    }
}
#endif
