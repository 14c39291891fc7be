// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON

/// Keeps the tokens of each account in a file that only its user may read, for processes that share a session.
///
/// Tokens are bound to a key: a copy of the file alone is of no use. A file is replaced whole or not at all. Processes that
/// refresh at the same time wait for one another, at a lock file beside the tokens, and the second one takes over what the
/// first one got.
///
/// An app and its extensions share a directory in the container of their app group. The system ends a process that is
/// suspended while it holds a lock in there: refresh under a background task.
public struct FileTokenStore: TokenStore {
    /// What a file may hold, in bytes.
    private static let maximumSize = 131_072

    private let directory: String
    private let timeout: Duration

    /// Makes a store; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - directory: Where a directory for each account is made, with mode 0700; it is made itself, but not what is above it.
    ///   - timeout: How long to wait for another process that refreshes.
    public init(directory: String, timeout: Duration = .seconds(60)) {
        self.directory = directory
        self.timeout = timeout
    }

    /// The tokens of an account.
    ///
    /// - Parameter account: The account.
    /// - Returns: What was saved last, by whichever process; `nil` when there is nothing.
    /// - Throws: ``OAuthClientError/Code/storageFailed``, also when others may read or change the file.
    public func tokens(of account: ClientAccount) async throws -> TokenSet? {
        let path = tokenFile(of: account)
        let content = try await BlockingWork.run { try PrivateFile.read(path, maximumSize: Self.maximumSize) }
        guard let content else { return nil }
        guard let object = try? JSONValue(parsing: content).objectValue else {
            throw OAuthClientError(.storageFailed, "\(path) cannot be read; sign in again")
        }
        return try TokenSet(parsing: object)
    }

    /// Replaces the tokens of an account: once this returns, they are on the disk.
    ///
    /// - Parameters:
    ///   - tokens: The new tokens.
    ///   - account: The account.
    /// - Throws: ``OAuthClientError/Code/storageFailed``; the old tokens are then still there.
    public func save(_ tokens: TokenSet, of account: ClientAccount) async throws {
        let (path, content) = (tokenFile(of: account), JSONValue.object(tokens.json).encoded() + [0x0A])
        try await BlockingWork.run {
            try makeDirectory(of: account)
            try PrivateFile.replace(path, with: content)
        }
    }

    /// Deletes the tokens of an account.
    ///
    /// - Parameter account: The account.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    public func deleteTokens(of account: ClientAccount) async throws {
        let path = tokenFile(of: account)
        try await BlockingWork.run { try PrivateFile.delete(path) }
    }

    /// Runs a refresh while no other process, and no other session of this one, refreshes the same account.
    ///
    /// The system lets go of the lock when its process ends, however that happens.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - body: What to run.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; ``OAuthClientError/Code/storageFailed`` when the lock is not to be had in time.
    public func withRefreshLock<Result: Sendable>(
        on account: ClientAccount,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await BlockingWork.run { try makeDirectory(of: account) }
        let lock = try await FileLock(path(of: account) + "/lock", timeout: timeout)
        defer { withExtendedLifetime(lock) {} }
        return try await body()
    }

    private func makeDirectory(of account: ClientAccount) throws {
        try PrivateFile.makeDirectory(directory)
        try PrivateFile.makeDirectory(path(of: account))
        try PrivateFile.requirePrivateDirectory(path(of: account))
    }

    private func path(of account: ClientAccount) -> String {
        directory + "/" + account.identifier
    }

    private func tokenFile(of account: ClientAccount) -> String {
        path(of: account) + "/tokens.json"
    }
}
