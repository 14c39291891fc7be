// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CSQLite
import ServerStorage

/// A connection to a database and the statements prepared on it.
///
/// Not `Sendable`: it is opened without SQLite's own locks and lives inside a ``SQLiteThread``.
@safe
final class SQLiteConnection {
    /// What a connection may do.
    enum Access {
        case readAndWrite
        case readOnly

        fileprivate var flags: Int32 {
            switch self {
            case .readAndWrite: SQLITE_OPEN_READWRITE
            case .readOnly: SQLITE_OPEN_READONLY
            }
        }
    }

    private let handle: OpaquePointer
    /// Keyed by the address of the statement's text.
    private var statements: [UInt: SQLiteStatement] = [:]
    /// Recently read clients and grants; each is compared with its row before it is reused.
    var clients = RowCache<RegisteredClient>()
    var grants = RowCache<Grant>()

    /// The version of the library.
    static let libraryVersion = unsafe String(cString: sqlite3_libversion())

    /// Opens an existing database.
    ///
    /// - Parameters:
    ///   - path: Its file; never one of SQLite's special names.
    ///   - access: What the connection may do.
    ///   - busyTimeout: How long to wait for another process, in milliseconds.
    /// - Throws: ``StorageError/Code/cannotOpen``.
    init(path: String, access: Access, busyTimeout: Int32) throws(StorageError) {
        let flags = access.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let result = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard result == SQLITE_OK, let opened = unsafe opened else {
            let message = unsafe Self.message(of: opened)
            unsafe sqlite3_close_v2(opened)
            throw StorageError(.cannotOpen, "the database \(path) cannot be opened: \(message)")
        }
        unsafe handle = opened
        unsafe sqlite3_busy_timeout(opened, busyTimeout)
    }

    deinit {
        statements = [:]
        unsafe sqlite3_close_v2(handle)
    }

    /// Whether a transaction is open; SQLite may end one itself after an error.
    var isInTransaction: Bool {
        unsafe sqlite3_get_autocommit(handle) == 0
    }

    /// Whether the file cannot be written; SQLite then opens it for reading only, and reports no error.
    var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") != 0 }

    /// How many rows all statements together have inserted, changed or deleted; the number wraps around.
    var totalChanges: Int32 { unsafe sqlite3_total_changes(handle) }

    /// Executes a statement to its end.
    ///
    /// - Returns: How many rows the statement inserted, changed or deleted; meaningless for other statements.
    @discardableResult
    func run(_ sql: SQL, _ values: [StoredValue] = []) throws(StorageError) -> Int {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() {}
        return unsafe Int(sqlite3_changes(handle))
    }

    /// Executes a statement to its end and reads every row of its result.
    func rows<Value>(
        _ sql: SQL,
        _ values: [StoredValue] = [],
        read: (SQLiteRow) throws(StorageError) -> Value
    ) throws(StorageError) -> [Value] {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        var result: [Value] = []
        while try statement.step() {
            result.append(try statement.withRow(read))
        }
        return result
    }

    /// Executes a statement to its end and reads the first row of its result.
    func row<Value>(
        _ sql: SQL,
        _ values: [StoredValue] = [],
        read: (SQLiteRow) throws(StorageError) -> Value
    ) throws(StorageError) -> Value? {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        guard try statement.step() else { return nil }
        let value = try statement.withRow(read)
        while try statement.step() {}
        return value
    }

    /// The message of the last error of a database.
    static func message(of database: OpaquePointer?) -> String {
        guard let database = unsafe database, let message = unsafe sqlite3_errmsg(database) else {
            return "out of memory"
        }
        return unsafe String(cString: message)
    }

    private func prepared(_ sql: SQL) throws(StorageError) -> SQLiteStatement {
        guard let address = sql.address else { return try unsafe SQLiteStatement(sql, database: handle) }
        if let statement = statements[address] { return statement }
        let statement = try unsafe SQLiteStatement(sql, database: handle)
        statements[address] = statement
        return statement
    }
}
#endif
