// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON

/// Keeps the list of accounts in a file that only its user may read, and that several processes can share.
///
/// A process that is killed while it writes leaves a copy of the list, in a file whose name begins with a period and ends with `.new-`
/// and six letters or digits: the next change deletes it.
public struct FileAccountStore: AccountStore {
    /// The maximum size of the file, in bytes: some thousand accounts.
    private static let maximumSize = 1 << 20

    private let path: String
    private let timeout: Duration

    /// Makes a store; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - path: The path of the file. It and `path` with `.lock` are made, with mode 0600, when the first account signs
    ///     in; the directory is made with mode 0700 if it is missing, but not its parents.
    ///   - timeout: How long to wait for another process that changes the list.
    public init(path: String, timeout: Duration = .seconds(10)) {
        self.path = path
        self.timeout = timeout
    }

    /// The list; an empty one if there is no file.
    ///
    /// - Returns: The list.
    /// - Throws: ``OAuthClientError/Code/storageFailed`` for a file that is damaged, that a newer version wrote, or that
    ///   other users may read or change.
    public func list() async throws -> AccountList {
        try await FileWork.run { try read() }
    }

    /// Changes the list, while no other process does.
    ///
    /// When this returns, it is on the disk.
    ///
    /// - Parameter change: What to change.
    /// - Returns: The changed list.
    /// - Throws: ``OAuthClientError/Code/storageFailed``; the old list is kept.
    @discardableResult
    public func update(_ change: @escaping @Sendable (inout AccountList) -> Void) async throws -> AccountList {
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) }
        try await FileWork.run {
            if let directory, !directory.isEmpty { try PrivateDirectory.make(at: directory) }
        }
        let lock = try await FileWork.lock(path + ".lock", timeout: timeout)
        defer { withExtendedLifetime(lock) {} }
        return try await FileWork.run {
            // All writers hold the lock.
            PrivateFile.removeLeftovers(of: path)
            var list = try read()
            change(&list)
            let content = JSONValue.object(list.json).encoded() + [0x0A]
            guard content.count <= Self.maximumSize else {
                throw OAuthClientError(.storageFailed, "the list of accounts is longer than \(Self.maximumSize) bytes")
            }
            try PrivateFile.replace(path, with: content)
            return list
        }
    }

    private func read() throws -> AccountList {
        guard let content = try PrivateFile.read(path, maximumSize: Self.maximumSize) else { return AccountList() }
        let limits = JSONLimits(maximumSize: Self.maximumSize)
        guard let object = try? JSONValue(parsing: content, limits: limits).objectValue else {
            throw OAuthClientError(.storageFailed, "\(path) is damaged")
        }
        return try AccountList(parsing: object)
    }
}
