// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import OAuthSystem
import ServerStorage
import Synchronization

/// The file of a database, readable only for its owner and opened with the safest options.
struct SQLiteFile: Sendable {
    // Closing any descriptor of a file releases all fcntl locks that the process holds on it, including those of
    // another store. So creating and opening a file is one step.
    private static let opening = Mutex(())

    /// How many threads can read at once.
    ///
    /// Each may cache 2 MB of the file.
    private static let readers = 2

    private let path: String
    private let schema: SQLiteSchema
    private let busyTimeout: Int32

    /// Names a file.
    ///
    /// - Throws: ``StorageError/Code/cannotOpen`` if such a file cannot exist.
    init(path: String, schema: SQLiteSchema, busyTimeout: Duration) throws(StorageError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StorageError(.cannotOpen, "the path of the database is empty or holds a zero byte")
        }
        self.path = Self.plain(path)
        self.schema = schema
        self.busyTimeout = Int32(max(0, min(busyTimeout / .milliseconds(1), 1_000_000_000)))
    }

    /// A path that SQLite takes only as a path: it gives ":memory:" and paths that begin with "file:" a special
    /// meaning.
    static func plain(_ path: String) -> String {
        path.hasPrefix("/") ? path : "./" + path
    }

    /// Opens the database, and creates or migrates it first if needed; waits for the disk and for other processes.
    ///
    /// - Returns: The connection for writing and the connections for reading.
    func open() throws(StorageError) -> (writer: SQLiteWriter, reader: SQLiteReaders) {
        try Self.opening.withLock { _ throws(StorageError) in
            try createIfMissing()
            try Self.checkAccess(to: path)
            // The writer first: it creates the files that the reader must not create.
            let writer = SQLiteWriter(connection: try openForWriting())
            return (writer, try SQLiteReaders(Self.readers, open: openForReading))
        }
    }

    private func openForWriting() throws(StorageError) -> sending SQLiteConnection {
        let connection = try SQLiteConnection(path: path, access: .readAndWrite, busyTimeout: busyTimeout)
        guard !connection.isReadOnly else { throw Self.isReadOnly(path) }
        do throws(StorageError) {
            // Nothing may be written before the file is known to be ours.
            try identify(connection)
            try configure(connection)
            try schema.migrate(connection)
        } catch {
            guard error.code == .unavailable else { throw error }
            throw StorageError(.unavailable, "\(path): \(error.reason)", underlying: error)
        }
        return connection
    }

    private func openForReading() throws(StorageError) -> sending SQLiteConnection {
        let connection = try SQLiteConnection(path: path, access: .readOnly, busyTimeout: busyTimeout)
        try connection.run("PRAGMA trusted_schema = OFF")
        return connection
    }

    private func createIfMissing() throws(StorageError) {
        try Self.createPrivately(path)
    }

    /// Creates an empty file with mode 0600, unless there is one.
    static func createPrivately(_ path: String) throws(StorageError) {
        // SQLite gives the write-ahead log and its index the mode of this file.
        let descriptor = unsafe Glibc.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            let reason = unsafe String(cString: strerror(errno))
            throw StorageError(
                .cannotOpen,
                "the database \(path) cannot be created: \(reason); its directory must exist and be writable"
            )
        }
    }

    /// Rejects a database that others may read or change.
    ///
    /// It looks at names, not at descriptors: closing a descriptor would release the locks of other connections. Who
    /// could exchange the files meanwhile could write to their directory, which is checked too.
    static func checkAccess(to path: String) throws(StorageError) {
        do throws(FileError) {
            for file in [path, path + "-wal", path + "-shm"] {
                guard let status = try FileAccess.status(of: file) else { continue }
                try FileAccess.owner.check(status, file)
            }
            try FileAccess.checkDirectory(of: path)
        } catch {
            throw StorageError(.cannotOpen, "the database was not opened: \(error.reason)", underlying: error)
        }
    }

    /// The error for a file that this user can only read.
    private static func isReadOnly(_ path: String) -> StorageError {
        StorageError(
            .unavailable,
            "the database \(path) cannot be written: this user may only read it, or its file system is mounted read-only"
        )
    }

    /// Rejects a file that this user can only read; changes nothing.
    ///
    /// Only for a process in which nothing else uses the file: it is opened and closed.
    static func checkWritable(_ path: String) throws(StorageError) {
        let connection = try SQLiteConnection(path: path, access: .readAndWrite, busyTimeout: 0)
        guard !connection.isReadOnly else { throw isReadOnly(path) }
    }

    private func identify(_ connection: SQLiteConnection) throws(StorageError) {
        do throws(StorageError) {
            try schema.check(connection)
        } catch {
            guard error.code == .corrupted else { throw error }
            throw StorageError(
                .corrupted,
                "\(path) is not a database or is damaged, and was left as it is; choose another file or restore a backup",
                underlying: error
            )
        }
    }

    private func configure(_ connection: SQLiteConnection) throws(StorageError) {
        try useWriteAheadLog(connection)
        // A commit returns only after it has reached the disk.
        try connection.run("PRAGMA synchronous = FULL")
        try connection.run("PRAGMA foreign_keys = ON")
        // Nothing in a manipulated file is executed.
        try connection.run("PRAGMA trusted_schema = OFF")
        try connection.run("PRAGMA cell_size_check = ON")
        try connection.run("PRAGMA temp_store = MEMORY")
        try connection.run("PRAGMA journal_size_limit = 67108864")
    }

    /// Switches to the write-ahead log; SQLite itself does not wait for other processes here.
    private func useWriteAheadLog(_ connection: SQLiteConnection) throws(StorageError) {
        for _ in 0..<(busyTimeout / Self.pause) {
            do throws(StorageError) {
                return try switchToWriteAheadLog(connection)
            } catch {
                guard error.code == .busy else { throw error }
                usleep(UInt32(Self.pause) * 1000)
            }
        }
        try switchToWriteAheadLog(connection)
    }

    private func switchToWriteAheadLog(_ connection: SQLiteConnection) throws(StorageError) {
        let mode = try connection.row("PRAGMA journal_mode = WAL") { row throws(StorageError) in try row.text(0) }
        guard mode == "wal" else {
            throw StorageError(.cannotOpen, "the file system of \(path) cannot hold a write-ahead log")
        }
    }

    /// Milliseconds between two attempts.
    private static let pause: Int32 = 20
}
#endif
