// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import OAuthSystem
public import StrictJSON

/// Keeps what an app learned of MCP servers in files that only its user may read.
///
/// A process that is killed while it writes leaves a copy of the record, which may contain a client secret: the next change of
/// the record deletes it.
public struct FileMCPStateStore: MCPStateStore {
    /// The maximum size of a file, in bytes.
    private static let maximumSize = 65_536

    private let directory: String
    private let timeout: Duration

    /// Makes a store; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - directory: Where the files are. It is created with mode 0700 if missing, but not its own parents.
    ///   - timeout: How long to wait for another process that changes a record.
    public init(directory: String, timeout: Duration = .seconds(10)) {
        self.directory = directory
        self.timeout = timeout
    }

    /// The record with a key.
    ///
    /// - Parameter key: A text of any length.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: ``OAuthClientError/Code/storageFailed``, also when others may read or change the file.
    public func record(_ key: String) async throws -> JSONObject? {
        let path = file(of: key)
        return try await FileWork.run { try Self.read(path) }
    }

    /// Stores a record, or replaces it.
    ///
    /// - Parameters:
    ///   - record: The record; `nil` deletes it.
    ///   - key: Its key.
    /// - Throws: ``OAuthClientError/Code/storageFailed``, also for a record of more than 64 KiB, which could not be read again; the old
    ///   record is kept.
    public func save(_ record: JSONObject?, for key: String) async throws {
        let path = file(of: key)
        guard let record else { return try await delete(path) }
        let content = try Self.content(of: record)
        try await withLock(on: path) { try PrivateFile.replace(path, with: content) }
    }

    /// Changes a record in one step.
    ///
    /// - Parameters:
    ///   - key: A text of any length.
    ///   - change: Gets the record, `nil` if there is none, and returns what to store; `nil` deletes it.
    /// - Throws: What `change` throws; ``OAuthClientError/Code/storageFailed``, as from ``record(_:)`` and ``save(_:for:)``; the
    ///   old record is kept.
    public func updateRecord(
        _ key: String,
        _ change: @escaping @Sendable (JSONObject?) throws -> JSONObject?
    ) async throws {
        let path = file(of: key)
        try await withLock(on: path) {
            let stored = try Self.read(path)
            let new = try change(stored)
            guard new != stored else { return }
            if let new {
                try PrivateFile.replace(path, with: Self.content(of: new))
            } else {
                try PrivateFile.delete(path)
            }
        }
    }

    private static func read(_ path: String) throws -> JSONObject? {
        guard let content = try PrivateFile.read(path, maximumSize: maximumSize) else { return nil }
        guard let object = try? JSONValue(parsing: content).objectValue else {
            throw OAuthClientError(.storageFailed, "\(path) cannot be read; delete it")
        }
        return object
    }

    private static func content(of record: JSONObject) throws(OAuthClientError) -> [UInt8] {
        let content = JSONValue.object(record).encoded() + [0x0A]
        guard content.count <= maximumSize else {
            throw OAuthClientError(.storageFailed, "the record of the MCP server is longer than 64 KiB")
        }
        return content
    }

    /// Runs work while nobody else writes a record.
    private func withLock(on path: String, _ body: @escaping @Sendable () throws -> Void) async throws {
        try await FileWork.run { [directory] in
            try PrivateDirectory.make(at: directory)
            try PrivateDirectory.requirePrivate(directory)
        }
        let lock = try await FileWork.lock(lockFile, timeout: timeout)
        defer { withExtendedLifetime(lock) {} }
        try await FileWork.run {
            PrivateFile.removeLeftovers(of: path)
            try body()
        }
    }

    private func delete(_ path: String) async throws {
        // Without the directory there is no record. If another process keeps the lock too long, the record is deleted anyway.
        let lock = try? await FileWork.lock(lockFile, timeout: timeout)
        defer { withExtendedLifetime(lock) {} }
        let isAlone = lock != nil
        try await FileWork.run {
            try PrivateFile.delete(path)
            if isAlone { PrivateFile.removeLeftovers(of: path) }
        }
    }

    /// Held only to write.
    private var lockFile: String { directory + "/lock" }

    private func file(of key: String) -> String {
        directory + "/" + Base64URL.encode(SHA256.hash(Array(key.utf8)).bytes) + ".json"
    }
}
