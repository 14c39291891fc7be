// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Synchronization

/// A connection and the thread that uses it, so that no task waits for writes on a thread it shares.
final class SQLiteThread: Sendable {
    private let queue: DispatchQueue
    // Never contended: only blocks on the serial queue take it. It proves to the compiler what the queue ensures.
    private let connection: Mutex<SQLiteConnection?>

    /// Takes a connection over.
    ///
    /// - Parameters:
    ///   - label: The name of the queue, for debuggers.
    ///   - connection: The connection; nobody else uses it from now on.
    init(label: String, connection: sending SQLiteConnection) {
        queue = DispatchQueue(label: label)
        self.connection = Mutex(connection)
    }

    /// Runs a function on the thread, after those that wait already.
    ///
    /// - Parameter body: Gets the connection; `nil` after ``close(_:)``.
    func async(_ body: @escaping @Sendable (SQLiteConnection?) -> Void) {
        queue.async { [self] in
            connection.withLock { connection in body(connection) }
        }
    }

    /// Closes the connection, after what waits already; a second time does nothing.
    ///
    /// - Parameter last: What the connection is used for last.
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
