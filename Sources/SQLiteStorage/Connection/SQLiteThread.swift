// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Synchronization

/// A connection and its thread, so that no write blocks a shared thread.
final class SQLiteThread: Sendable {
    private let queue: DispatchQueue
    // Never contended: only blocks on the serial queue take it. It shows the compiler what the queue ensures.
    private let connection: Mutex<SQLiteConnection?>

    /// Takes ownership of a connection.
    ///
    /// - Parameters:
    ///   - label: The name of the queue, for debuggers.
    ///   - connection: The connection; no other code uses it from now on.
    init(label: String, connection: sending SQLiteConnection) {
        queue = DispatchQueue(label: label)
        self.connection = Mutex(connection)
    }

    /// Runs a function on the thread, after those that already wait.
    ///
    /// - Parameter body: Gets the connection; `nil` after ``close(_:)``.
    func async(_ body: @escaping @Sendable (SQLiteConnection?) -> Void) {
        queue.async { [self] in
            connection.withLock { connection in body(connection) }
        }
    }

    /// Closes the connection, after all functions that already wait; a second call does nothing.
    ///
    /// - Parameter last: The last use of the connection.
    func close(_ last: @escaping @Sendable (SQLiteConnection) -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                connection.withLock { connection in
                    if let connection { last(connection) }
                    connection = nil
                }
                continuation.resume()
            }
        }
    }
}
#endif
