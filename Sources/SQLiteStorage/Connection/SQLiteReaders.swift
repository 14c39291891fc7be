// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import ServerStorage
import Synchronization

/// Read-only connections, used on the caller's thread.
///
/// A read is one row or a few, by key, and usually from memory. It takes about ten microseconds; a switch to another
/// thread and back costs several times that. Readers of a write-ahead log never wait for a writer.
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
    ///   - count: The number of connections: as many threads can read at once, and one that waits for the disk does not
    ///     delay the others.
    ///   - open: Opens one; no other code uses it from then on.
    /// - Throws: What `open` threw.
    init(
        _ count: Int,
        open: () throws(StorageError) -> sending SQLiteConnection
    ) throws(StorageError) {
        var readers: [Reader] = []
        for _ in 0..<count { readers.append(Reader(try open())) }
        self.readers = readers
    }

    /// Runs a read-only function on a free connection, or waits for one.
    ///
    /// - Throws: What the function threw, or ``StorageError/Code/closed``.
    func perform<Value: Sendable>(
        _ body: @Sendable (SQLiteConnection) throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        // Prefers the last connection: after a commit, each connection has to read the changed pages again. Slow reads
        // never use the last one.
        for reader in readers.reversed() {
            if let result = reader.connection.withLockIfAvailable({ Self.attempt(body, on: &$0) }) {
                return try result.get()
            }
        }
        return try readers[readers.count - 1].connection.withLock { Self.attempt(body, on: &$0) }.get()
    }

    /// Runs a long read-only function, for example over the whole database, on its own thread; other reads continue.
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

    /// Closes the connections, each after its current read; a second call does nothing.
    func close() {
        for reader in readers { reader.connection.withLock { $0 = nil } }
    }
}
#endif
