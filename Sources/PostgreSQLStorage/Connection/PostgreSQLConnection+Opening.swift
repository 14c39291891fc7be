// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPostgreSQL
import ServerStorage

extension PostgreSQLConnection {
    /// What a connection is for, and with it how long a statement may take.
    enum Role {
        case reading
        case writing
        /// Lists, cleaning and migrations.
        case slow
    }

    /// Connects; waits for the network on the calling thread.
    ///
    /// - Throws: ``StorageError/Code/unavailable`` if no server answers, ``StorageError/Code/cannotOpen`` if it is none
    ///   that this program can use.
    static func open(_ address: PostgreSQLAddress, for role: Role) throws(StorageError) -> PostgreSQLConnection {
        let connection = try unsafe PostgreSQLConnection(connect(address))
        connection.deadline = .now + .seconds(5)
        try connection.later("SET search_path = keybound")
        try connection.later("SET idle_in_transaction_session_timeout = '5s'")
        // Planning costs more than most of the statements, and a plan for all values serves as well.
        try connection.later("SET plan_cache_mode = force_generic_plan")
        if role == .reading {
            // All reads of an operation are of one moment.
            try connection.later("SET default_transaction_isolation = 'repeatable read'")
            try connection.later("SET default_transaction_read_only = on")
        }
        if role == .slow {
            try connection.later("SET statement_timeout = 0")
        } else {
            // Every statement looks for single rows, for which a bitmap costs more than the index alone.
            try connection.later("SET enable_bitmapscan = off")
            try connection.later("SET lock_timeout = '1s'")
            try connection.later("SET statement_timeout = '2s'")
        }
        // In the same message as the settings, so it takes no further round trip.
        let found = try connection.row("SELECT pg_backend_pid()") { row throws(StorageError) in try row.integer(0) }
        guard let process = found else { throw .lostConnection }
        connection.serverProcess = process
        return connection
    }

    private static func connect(_ address: PostgreSQLAddress) throws(StorageError) -> OpaquePointer {
        let opened = unsafe withCStrings(address.options.map(\.0)) { keywords in
            unsafe withCStrings(address.options.map(\.1)) { values in
                unsafe PQconnectdbParams(keywords, values, 1)
            }
        }
        guard let handle = unsafe opened else { throw .isAway }
        do throws(StorageError) {
            try unsafe check(handle)
        } catch {
            unsafe PQfinish(handle)
            throw error
        }
        return unsafe handle
    }

    private static func check(_ handle: OpaquePointer) throws(StorageError) {
        guard unsafe PQstatus(handle) == CONNECTION_OK else {
            // The text names hosts, users and files, never a password; it is the only help an operator has.
            let text = unsafe PQerrorMessage(handle).map { unsafe String(cString: $0) } ?? "out of memory"
            throw StorageError(.unavailable, "the database cannot be reached: \(oneLine(text))")
        }
        guard unsafe PQserverVersion(handle) >= 150_000 else {
            throw StorageError(.cannotOpen, "the database is older than PostgreSQL 15")
        }
        let encoding = unsafe PQparameterStatus(handle, "server_encoding").map { unsafe String(cString: $0) }
        guard encoding == "UTF8" else {
            throw StorageError(
                .cannotOpen,
                "the encoding of the database is \(encoding ?? "unknown"), and must be UTF8"
            )
        }
    }

    /// A text of libpq in one line.
    ///
    /// It has a line for each address that was tried, and may ask about each in a line that begins with a tab: `Is the server
    /// running on that host?`
    static func oneLine(_ text: String) -> String {
        var result = ""
        for line in text.split(separator: "\n") {
            let words = line.drop { $0 == "\t" || $0 == " " }
            guard !words.isEmpty else { continue }
            if !result.isEmpty { result += line.first == "\t" ? ". " : "; " }
            result += String(words)
        }
        return result
    }

    /// Calls a function with a list of texts that ends with a null pointer.
    private static func withCStrings<Result>(
        _ texts: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        var bytes: [CChar] = []
        var offsets: [Int] = []
        for text in texts {
            offsets.append(bytes.count)
            bytes.append(contentsOf: text.utf8.map { CChar(bitPattern: $0) } + [0])
        }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            let pointers = unsafe offsets.map { unsafe bytes.baseAddress?.advanced(by: $0) } + [nil]
            return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
        }
    }
}
#endif
