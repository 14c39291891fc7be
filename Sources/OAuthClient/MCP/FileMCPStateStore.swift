// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import OAuthSystem
public import StrictJSON

/// Keeps what an app learned of MCP servers in files that only its user may read.
public struct FileMCPStateStore: MCPStateStore {
    /// The maximum size of a file, in bytes.
    private static let maximumSize = 65_536

    private let directory: String

    /// Makes a store; nothing is read or written yet.
    ///
    /// - Parameter directory: Where the files are. It is created with mode 0700 if missing, but not its own parents.
    public init(directory: String) {
        self.directory = directory
    }

    /// The record with a key.
    ///
    /// - Parameter key: A text of any length.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: ``OAuthClientError/Code/storageFailed``, also when others may read or change the file.
    public func record(_ key: String) async throws -> JSONObject? {
        let path = file(of: key)
        let content = try await FileWork.run { try PrivateFile.read(path, maximumSize: Self.maximumSize) }
        guard let content else { return nil }
        guard let object = try? JSONValue(parsing: content).objectValue else {
            throw OAuthClientError(.storageFailed, "\(path) cannot be read; delete it")
        }
        return object
    }

    /// Stores a record, or replaces it.
    ///
    /// - Parameters:
    ///   - record: The record; `nil` deletes it.
    ///   - key: Its key.
    /// - Throws: ``OAuthClientError/Code/storageFailed``; the old record is kept.
    public func save(_ record: JSONObject?, for key: String) async throws {
        let path = file(of: key)
        let content = record.map { JSONValue.object($0).encoded() + [0x0A] }
        try await FileWork.run { [directory] in
            guard let content else { return try PrivateFile.delete(path) }
            try PrivateDirectory.make(at: directory)
            try PrivateDirectory.requirePrivate(directory)
            try PrivateFile.replace(path, with: content)
        }
    }

    private func file(of key: String) -> String {
        directory + "/" + Base64URL.encode(SHA256.hash(Array(key.utf8)).bytes) + ".json"
    }
}
