// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
public import OAuthSystem
import StrictJSON

/// Keeps each sign-in that waits for its answer in a file that only its user may read: the process that began it may be
/// ended while the browser is open, and another one finishes it.
///
/// A file holds the code verifier in clear; what protects it is its mode, 0600 in a directory of mode 0700. Whoever copies it
/// needs two things more to get tokens: the code, which comes once and only to the redirect URI, and the key, to which the code
/// is bound (RFC 9449 section 10) and which is not in the file. So keep the key where it stays as well, and better guarded:
/// encrypted, or in hardware. On iOS use a directory of the app's own container, which backups leave out.
///
/// Files are named after the hash of `state`: nothing that comes through the browser becomes part of a path. Of several
/// processes that bring the same answer one gets the sign-in. What has expired, and what was damaged, is deleted when the
/// next sign-in begins; a file that was damaged is an error for its own sign-in only.
public struct FileTransactionStore: TransactionStore {
    /// What a file may hold, in bytes.
    private static let maximumSize = 65_536
    private static let suffix = ".json"
    private static let hashLength = 43

    private let directory: String
    private let capacity: Int
    private let timeout: Duration

    /// Makes a store; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - directory: Where the files are; made with mode 0700, but not what is above it. Nothing else may be in there.
    ///   - capacity: How many sign-ins may wait at the same time; the oldest is dropped when there are more.
    ///   - timeout: How long to wait for another process that begins a sign-in.
    public init(directory: String, capacity: Int = 64, timeout: Duration = .seconds(10)) {
        self.directory = directory
        self.capacity = max(capacity, 1)
        self.timeout = timeout
    }

    /// Keeps a transaction until it is taken or expires: once this returns, it is on the disk.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - now: The time, for deleting those that have expired.
    /// - Throws: ``OAuthClientError/Code/storageFailed``, also for a transaction of more than 64 KiB.
    public func insert(_ transaction: Transaction, now: Timestamp) async throws {
        let content = JSONValue.object(transaction.json).encoded() + [0x0A]
        guard content.count <= Self.maximumSize else {
            throw OAuthClientError(.storageFailed, "the sign-in is longer than \(Self.maximumSize) bytes")
        }
        let path = path(of: transaction.state)
        try await BlockingWork.run {
            try PrivateFile.makeDirectory(directory)
            try PrivateFile.requirePrivateDirectory(directory)
        }
        // One at a time: then a file that is half written is one of a process that was ended.
        let lock = try await FileLock(directory + "/lock", timeout: timeout)
        defer { withExtendedLifetime(lock) {} }
        try await BlockingWork.run {
            try collect(now)
            try PrivateFile.replace(path, with: content)
        }
    }

    /// Deletes a transaction and gives it out: of all callers, in whichever process, one gets it.
    ///
    /// - Parameters:
    ///   - state: Its `state`.
    ///   - now: The time; what has expired is not given out.
    /// - Returns: The transaction; `nil` when there is none, or it has expired or been taken.
    /// - Throws: ``OAuthClientError/Code/storageFailed``, also when the file is damaged, or others may read or change it.
    public func take(state: String, now: Timestamp) async throws -> Transaction? {
        let path = path(of: state)
        return try await BlockingWork.run {
            guard let transaction = try read(path) else { return nil }
            guard transaction.state.isIdenticalInConstantTime(to: state) else {
                throw OAuthClientError(.storageFailed, "\(path) is of another sign-in")
            }
            // Whoever deletes the file has the sign-in.
            guard try PrivateFile.remove(path), transaction.expiresAt > now else { return nil }
            return transaction
        }
    }

    /// Whether a sign-in waits for an answer with this `state`.
    package func holds(state: String) async throws -> Bool {
        let path = path(of: state)
        return try await BlockingWork.run { try read(path) != nil }
    }

    private func path(of state: String) -> String {
        directory + "/" + Base64URL.encode(SHA256.hash(Array(state.utf8)).bytes) + Self.suffix
    }

    private func read(_ path: String) throws -> Transaction? {
        guard let content = try PrivateFile.read(path, maximumSize: Self.maximumSize) else { return nil }
        guard let transaction = Self.transaction(content) else {
            throw OAuthClientError(.storageFailed, "\(path) is damaged; sign in again")
        }
        return transaction
    }

    private static func transaction(_ content: [UInt8]) -> Transaction? {
        (try? JSONValue(parsing: content).objectValue).flatMap { try? Transaction(parsing: $0) }
    }

    /// Makes room: deletes what has expired, what was damaged, and the oldest of too many.
    private func collect(_ now: Timestamp) throws {
        var waiting: [(path: String, expiresAt: Timestamp)] = []
        guard let names = DirectoryNames.all(in: directory) else {
            throw PrivateFile.failure("cannot read the directory \(directory)")
        }
        for name in names where Self.isOurs(name) {
            let path = directory + "/" + name
            if let expiresAt = expiry(of: path, at: now), expiresAt > now, name.hasSuffix(Self.suffix) {
                waiting.append((path, expiresAt))
            } else {
                discard(path)
            }
        }
        waiting.sort { $0.expiresAt < $1.expiresAt }
        for oldest in waiting.prefix(max(waiting.count - capacity + 1, 0)) { discard(oldest.path) }
    }

    /// When a file is of no use any more; `nil` when it is of none now.
    private func expiry(of path: String, at now: Timestamp) -> Timestamp? {
        do {
            return try PrivateFile.read(path, maximumSize: Self.maximumSize).flatMap(Self.transaction)?.expiresAt
        } catch {
            // Too many open files, say: it may be read another time, but is the first to go.
            return now + .milliseconds(1)
        }
    }

    /// What cannot be deleted, such as a directory, is in nobody's way.
    private func discard(_ path: String) {
        try? PrivateFile.delete(path)
    }

    /// The name of a sign-in, or of one that was being written.
    private static func isOurs(_ name: String) -> Bool {
        name.utf8.count >= hashLength + suffix.utf8.count && name.utf8.dropFirst(hashLength).starts(with: suffix.utf8)
    }
}
