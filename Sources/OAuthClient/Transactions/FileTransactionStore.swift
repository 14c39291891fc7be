// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
public import OAuthSystem
import StrictJSON

/// Keeps each waiting sign-in in a file that only its user may read: if the process that started it ends while the
/// browser is open, another process can finish it.
///
/// A file holds the code verifier in clear; its mode protects it, 0600 in a directory of mode 0700. An attacker who
/// copies it needs two more things to get tokens: the code, which is sent once and only to the redirect URI, and the
/// key that the code is bound to (RFC 9449 section 10), which is not in the file. Keep the key in storage that also
/// outlives the process and is better protected: encrypted, or in hardware. On iOS use a directory of the app's own
/// container, and exclude it from backups (`URLResourceValues.isExcludedFromBackup`): the container itself is backed up.
/// ``ClientStorage`` does both with `device`.
///
/// Files are named after the hash of `state`: nothing from the browser becomes part of a path. If several processes
/// receive the same response, one of them gets the sign-in. Expired and damaged files are deleted when the next sign-in
/// begins; a damaged file is an error only for its own sign-in.
public struct FileTransactionStore: TransactionStore {
    /// The maximum size of a file, in bytes.
    private static let maximumSize = 65_536
    private static let suffix = ".json"
    private static let hashLength = 43

    private let directory: String
    private let capacity: Int
    private let timeout: Duration

    /// Makes a store; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - directory: The directory for the files. It is created with mode 0700 if missing, but not its parents. It
    ///     must contain nothing else.
    ///   - capacity: The maximum number of waiting sign-ins; if there are more, the oldest is deleted.
    ///   - timeout: How long to wait for another process that starts a sign-in.
    public init(directory: String, capacity: Int = 64, timeout: Duration = .seconds(10)) {
        self.directory = directory
        self.capacity = max(capacity, 1)
        self.timeout = timeout
    }

    /// Stores a transaction until it is taken or expires.
    ///
    /// When this returns, it is on the disk.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - now: The time, for deleting expired transactions.
    /// - Throws: ``OAuthClientError/Code/storageFailed``, also for a transaction of more than 64 KiB.
    public func insert(_ transaction: SignInTransaction, now: Timestamp) async throws {
        let content = JSONValue.object(transaction.json).encoded() + [0x0A]
        guard content.count <= Self.maximumSize else {
            throw OAuthClientError(.storageFailed, "the sign-in is longer than \(Self.maximumSize) bytes")
        }
        let path = path(of: transaction.state)
        try await FileWork.run {
            try PrivateDirectory.make(at: directory)
            try PrivateDirectory.requirePrivate(directory)
        }
        // One process at a time: then a partially written file belongs to a process that has ended.
        let lock = try await FileWork.lock(directory + "/lock", timeout: timeout)
        defer { withExtendedLifetime(lock) {} }
        try await FileWork.run {
            try collect(now)
            try PrivateFile.replace(path, with: content)
        }
    }

    /// Deletes and returns a transaction.
    ///
    /// Of several callers, in any process, only one gets it.
    ///
    /// - Parameters:
    ///   - state: Its `state`.
    ///   - now: The time; an expired transaction is not returned.
    /// - Returns: The transaction; `nil` when there is none, or it has expired or been taken.
    /// - Throws: ``OAuthClientError/Code/storageFailed``, also when the file is damaged, or other users may read or
    ///   change it.
    public func take(state: String, now: Timestamp) async throws -> SignInTransaction? {
        let path = path(of: state)
        return try await FileWork.run {
            guard let transaction = try read(path) else { return nil }
            guard transaction.state.isIdenticalInConstantTime(to: state) else {
                throw OAuthClientError(.storageFailed, "\(path) is of another sign-in")
            }
            // The caller that deletes the file gets the sign-in.
            guard try PrivateFile.remove(path), transaction.expiresAt > now else { return nil }
            return transaction
        }
    }

    /// Whether a sign-in waits for a response with this `state`.
    package func holds(state: String) async throws -> Bool {
        let path = path(of: state)
        return try await FileWork.run { try read(path) != nil }
    }

    private func path(of state: String) -> String {
        directory + "/" + Base64URL.encode(SHA256.hash(Array(state.utf8)).bytes) + Self.suffix
    }

    private func read(_ path: String) throws -> SignInTransaction? {
        guard let content = try PrivateFile.read(path, maximumSize: Self.maximumSize) else { return nil }
        guard let transaction = Self.transaction(content) else {
            throw OAuthClientError(.storageFailed, "\(path) is damaged; sign in again")
        }
        return transaction
    }

    private static func transaction(_ content: [UInt8]) -> SignInTransaction? {
        (try? JSONValue(parsing: content).objectValue).flatMap { try? SignInTransaction(parsing: $0) }
    }

    /// Deletes expired, damaged and half-written files, and the oldest if there are too many.
    private func collect(_ now: Timestamp) throws {
        var waiting: [(path: String, expiresAt: Timestamp)] = []
        guard let names = DirectoryNames.all(in: directory) else {
            throw FileError.system("read the directory \(directory)")
        }
        for name in names {
            let path = directory + "/" + name
            // The names of earlier versions too: nobody keeps a copy of a file that is named after a hash.
            let target = PrivateFile.target(ofLeftover: name) ?? PrivateFile.target(ofOldLeftover: name)
            if let target, Self.isOurs(target) { discard(path) }
            guard Self.isOurs(name) else { continue }
            if let expiresAt = expiry(of: path, at: now), expiresAt > now {
                waiting.append((path, expiresAt))
            } else {
                discard(path)
            }
        }
        waiting.sort { $0.expiresAt < $1.expiresAt }
        for oldest in waiting.prefix(max(waiting.count - capacity + 1, 0)) { discard(oldest.path) }
    }

    /// When a file can be deleted; `nil` if it can be deleted now.
    private func expiry(of path: String, at now: Timestamp) -> Timestamp? {
        do {
            return try PrivateFile.read(path, maximumSize: Self.maximumSize).flatMap(Self.transaction)?.expiresAt
        } catch {
            // The file may be readable later, for example if there are too many open files; but it is deleted first.
            return now + .milliseconds(1)
        }
    }

    /// An entry that cannot be deleted, such as a directory, does no harm.
    private func discard(_ path: String) {
        try? PrivateFile.delete(path)
    }

    /// Whether this is the name of a sign-in.
    private static func isOurs(_ name: String) -> Bool {
        name.utf8.dropFirst(hashLength).elementsEqual(suffix.utf8)
    }
}
