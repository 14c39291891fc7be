// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPostgreSQL
import ServerStorage

/// A connection in pipeline mode, and the statements prepared on it.
///
/// Not `Sendable`: it lives in the thread of a ``PostgreSQLPool``, which waits for the server.
@safe
final class PostgreSQLConnection {
    /// What the answer to a message is for.
    private enum Expected {
        case prepared(UInt)
        /// A result that the caller reads.
        case result
        /// A result of which only an error counts.
        case completion
    }

    /// What the server said in addition to its answers; the text can hold values and is dropped.
    private final class Notices {
        var hasWarning = false
    }

    private let handle: OpaquePointer
    private let notices = Notices()
    /// The names of prepared statements, by the address of their text.
    private var names: [UInt: String] = [:]
    private var expected: [Expected] = []
    private var parameters = PostgreSQLParameters()
    /// Recently read clients and grants; each is compared with its row before it is reused.
    var clients = RowCache<RegisteredClient>()
    var grants = RowCache<Grant>()
    /// The process of the server, as the server itself named it when the connection was opened.
    var serverProcess: Int64 = 0
    /// Whether the operation may have been carried out before, over a connection that was lost.
    var isRepeat = false
    /// Until when the server must answer; a server that does not counts as lost.
    var deadline = ContinuousClock.now
    /// Whether the connection cannot be used any more.
    private(set) var isLost = false
    /// Whether it was lost because the server did not answer until the deadline.
    private(set) var isOverdue = false
    /// The SQLSTATE of the last error.
    private(set) var lastState = ""
    /// Whether a commit went out that was not answered yet.
    private(set) var hasUnansweredCommit = false
    private(set) var isInTransaction = false

    /// Takes ownership of a connection that was just established.
    init(_ handle: OpaquePointer) {
        unsafe self.handle = handle
        unsafe PQsetnonblocking(handle, 1)
        unsafe PQenterPipelineMode(handle)
        // The object outlives the connection, which has no other reference to it.
        let context = unsafe Unmanaged.passUnretained(notices).toOpaque()
        _ = unsafe PQsetNoticeReceiver(
            handle,
            { context, _ in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().hasWarning = true
            },
            context
        )
    }

    deinit {
        unsafe PQfinish(handle)
    }

    /// The process of the server, as whoever accepted the connection named it: a pooler makes one up.
    var processID: Int32 { unsafe PQbackendPID(handle) }

    /// Executes a statement, and whatever was queued before it.
    ///
    /// - Returns: How many rows the statement inserted, changed or deleted.
    @discardableResult
    func run(_ sql: SQL, _ values: [StoredValue] = []) throws(StorageError) -> Int {
        guard !values.contains(where: \.holdsZeroByte) else { throw .holdsZeroByte }
        try send(sql, values)
        return try finish().last?.changes ?? 0
    }

    /// Queues a statement whose result is not needed; it is sent with the next one, which throws its error.
    func later(_ sql: SQL, _ values: [StoredValue] = []) throws(StorageError) {
        guard !values.contains(where: \.holdsZeroByte) else { throw .holdsZeroByte }
        try send(sql, values, for: .completion)
    }

    /// Executes a query and reads every row of its result; a text that cannot be stored finds nothing.
    func rows<Value>(
        _ sql: SQL,
        _ values: [StoredValue] = [],
        read: (PostgreSQLRow) throws(StorageError) -> Value
    ) throws(StorageError) -> [Value] {
        guard !values.contains(where: \.holdsZeroByte) else { return [] }
        try send(sql, values)
        guard let result = try finish().last else { return [] }
        var values: [Value] = []
        for index in 0..<result.count { values.append(try read(PostgreSQLRow(result, index))) }
        return values
    }

    /// Executes a query and reads the first row of its result; a text that cannot be stored finds nothing.
    func row<Value>(
        _ sql: SQL,
        _ values: [StoredValue] = [],
        read: (PostgreSQLRow) throws(StorageError) -> Value
    ) throws(StorageError) -> Value? {
        guard !values.contains(where: \.holdsZeroByte) else { return nil }
        try send(sql, values)
        guard let result = try finish().last, result.count > 0 else { return nil }
        return try read(PostgreSQLRow(result, 0))
    }

    /// Executes a query that a plan has as well; a text that cannot be stored finds nothing.
    func row<Value>(
        _ statement: PostgreSQLStatement,
        read: (PostgreSQLRow) throws(StorageError) -> Value
    ) throws(StorageError) -> Value? {
        try row(statement.sql, statement.values, read: read)
    }

    /// Executes a statement that is made of names in this program, never of values.
    ///
    /// - Returns: How many rows the statement inserted, changed or deleted, and the first number of its result.
    func run(
        generated text: String,
        _ values: [StoredValue] = []
    ) throws(StorageError) -> (changes: Int, first: Int64?) {
        guard !values.contains(where: \.holdsZeroByte) else { throw .holdsZeroByte }
        let types = values.map(\.typeID)
        let isSent = unsafe parameters.withPointers(to: values) { pointers, lengths, formats in
            unsafe PQsendQueryParams(handle, text, Int32(values.count), types, pointers, lengths, formats, 1) == 1
        }
        guard isSent else { throw lost() }
        expected.append(.result)
        guard let result = try finish().last else { return (0, nil) }
        return (result.changes, result.count > 0 ? try PostgreSQLRow(result, 0).integer(0) : nil)
    }

    /// Queues the start of a transaction.
    func begin() throws(StorageError) {
        lastState = ""
        try send("BEGIN", [], for: .completion)
        isInTransaction = true
    }

    /// Carries out statements in a transaction of their own, all in one message.
    ///
    /// - Parameter statements: The statements.
    /// - Returns: Their results.
    /// - Throws: As ``commit()``.
    func transact(_ statements: some Sequence<PostgreSQLStatement>) throws(StorageError) -> [PostgreSQLResult] {
        lastState = ""
        for statement in statements { try send(statement.sql, statement.values) }
        // What goes out in one message is one transaction, which the server commits before it answers the end of it.
        return try finishCommit()
    }

    /// Commits, and returns once the server has answered that everything is stored.
    ///
    /// - Throws: ``StorageError/Code/outcomeUnknown`` if the server gave up to wait for its standby: the change is stored
    ///   on this server, and may be nowhere else.
    func commit() throws(StorageError) {
        try send("COMMIT", [], for: .completion)
        _ = try finishCommit()
    }

    private func finishCommit() throws(StorageError) -> [PostgreSQLResult] {
        hasUnansweredCommit = true
        notices.hasWarning = false
        let results = try finish()
        hasUnansweredCommit = false
        isInTransaction = false
        guard !notices.hasWarning else { throw .hasUnknownOutcome }
        return results
    }

    /// What became of a commit whose answer did not come in time.
    enum LateAnswer {
        case missing
        case answered
        /// The connection is lost, or the answer does not confirm that the change is stored wherever it must be.
        case useless
    }

    /// Waits longer for the answer to a commit that was not answered in time.
    ///
    /// - Parameter deadline: How long to wait.
    /// - Returns: What became of the commit. The connection must not be used for anything else.
    func lateAnswer(until deadline: ContinuousClock.Instant) -> LateAnswer {
        self.deadline = deadline
        isOverdue = false
        var isAtEnd = false
        do throws(StorageError) {
            while true {
                guard let result = try unsafe next() else {
                    // A null pointer ends the results of each statement; two in a row mean that no more results come.
                    guard !isAtEnd else { return .useless }
                    isAtEnd = true
                    continue
                }
                isAtEnd = false
                let status = unsafe PQresultStatus(result)
                unsafe PQclear(result)
                if status == PGRES_PIPELINE_SYNC { return notices.hasWarning ? .useless : .answered }
                guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else { return .useless }
            }
        } catch {
            return isOverdue ? .missing : .useless
        }
    }

    /// Ends a transaction without changes; a connection that cannot do that counts as lost.
    func rollBack() {
        hasUnansweredCommit = false
        guard isInTransaction, !isLost else { return }
        isInTransaction = false
        // What is still queued may fail, and would take the ROLLBACK with it.
        if !expected.isEmpty { _ = try? finish() }
        guard !isLost else { return }
        do throws(StorageError) {
            try send("ROLLBACK", [])
            _ = try finish()
        } catch {
            isLost = true
        }
    }

    private func send(_ sql: SQL, _ values: [StoredValue], for answer: Expected = .result) throws(StorageError) {
        guard !isLost else { throw .lostConnection }
        let name: String
        if let known = names[sql.address] {
            name = known
        } else {
            name = "s\(sql.address)"
            let types = values.map(\.typeID)
            guard unsafe PQsendPrepare(handle, name, sql.text, Int32(types.count), types) == 1 else { throw lost() }
            names[sql.address] = name
            expected.append(.prepared(sql.address))
        }
        let isSent = unsafe parameters.withPointers(to: values) { pointers, lengths, formats in
            unsafe PQsendQueryPrepared(handle, name, Int32(values.count), pointers, lengths, formats, 1) == 1
        }
        guard isSent else { throw lost() }
        expected.append(answer)
    }

    /// Sends what is queued, and waits for all answers.
    ///
    /// - Returns: The results of the statements that are read.
    private func finish() throws(StorageError) -> [PostgreSQLResult] {
        guard unsafe PQpipelineSync(handle) == 1 else { throw lost() }
        var results: [PostgreSQLResult] = []
        var failure: String?
        for item in expected {
            let result = try unsafe nextResult()
            switch unsafe PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
                let result = unsafe PostgreSQLResult(result)
                if case .result = item { results.append(result) }
            default:
                if failure == nil { failure = unsafe Self.state(of: result) }
                if case .prepared(let address) = item { names[address] = nil }
                unsafe PQclear(result)
            }
            // A null pointer ends the results of each statement.
            guard try unsafe next() == nil else { throw lost() }
        }
        expected = []
        let sync = try unsafe nextResult()
        defer { unsafe PQclear(sync) }
        guard unsafe PQresultStatus(sync) == PGRES_PIPELINE_SYNC else { throw lost() }
        if let failure {
            lastState = failure
            if failure.isEmpty || failure.hasPrefix("08") || failure.hasPrefix("57P") || failure == "25006" {
                isLost = true
            }
            // Another version of the schema is there: everything is prepared again.
            if failure == "0A000" || failure == "26000" { isLost = true }
            throw StorageError(sqlState: failure)
        }
        return results
    }

    private static func state(of result: OpaquePointer) -> String {
        guard let text = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C"))) else { return "" }
        return unsafe String(cString: text)
    }

    private func nextResult() throws(StorageError) -> OpaquePointer {
        guard let result = unsafe try next() else { throw lost() }
        return unsafe result
    }

    private func next() throws(StorageError) -> OpaquePointer? {
        var isFlushed = false
        while true {
            if !isFlushed {
                let left = unsafe PQflush(handle)
                guard left >= 0 else { throw lost() }
                isFlushed = left == 0
            }
            if unsafe PQisBusy(handle) == 0 { return unsafe PQgetResult(handle) }
            guard unsafe SocketWait.wait(PQsocket(handle), writable: !isFlushed, until: deadline) else {
                isOverdue = true
                throw lost()
            }
            guard unsafe PQconsumeInput(handle) == 1 else { throw lost() }
        }
    }

    private func lost() -> StorageError {
        isLost = true
        lastState = ""
        return .lostConnection
    }
}
#endif
