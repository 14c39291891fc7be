// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON

/// Keeps the tokens of each account in a file that only its user may read, for processes that share a session.
///
/// Tokens are bound to a key: a copy of the file alone is useless. A file is replaced atomically. Processes that
/// refresh at the same time wait for each other, at a lock file next to the tokens; the second one uses the tokens that
/// the first one got. A process that is killed while it writes leaves a file with tokens, `.tokens.json.new-` with six letters
/// or digits: the next change deletes it, at the latest a sign-out.
///
/// On iOS and visionOS the directory is kept out of backups, and its files are encrypted until the first unlock.
///
/// An app and its extensions share a directory in the container of their app group. The system terminates a process
/// that is suspended while it holds a lock there: refresh within a background task.
public struct FileTokenStore: TokenStore {
    /// The maximum size of a file, in bytes.
    private static let maximumSize = 131_072
    private static let fileName = "tokens.json"

    private let directory: String
    private let timeout: Duration

    /// Makes a store; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - directory: The parent of one directory for each account. It is created with mode 0700 if missing, but not
    ///     its own parents.
    ///   - timeout: How long to wait for another process that refreshes.
    public init(directory: String, timeout: Duration = .seconds(60)) {
        self.directory = directory
        self.timeout = timeout
    }

    /// The tokens of an account.
    ///
    /// - Parameter account: The account.
    /// - Returns: The tokens that were saved last, by any process; `nil` when there are none.
    /// - Throws: ``OAuthClientError/Code/storageFailed``, also when others may read or change the file.
    public func tokens(of account: ClientAccount) async throws -> TokenSet? {
        let path = tokenFile(of: account)
        return try await FileWork.run { try read(path) }
    }

    private func read(_ path: String) throws -> TokenSet? {
        guard let content = try PrivateFile.read(path, maximumSize: Self.maximumSize) else { return nil }
        guard let object = try? JSONValue(parsing: content).objectValue else {
            throw OAuthClientError(.storageFailed, "\(path) cannot be read; sign in again")
        }
        return try TokenSet(parsing: object)
    }

    /// Replaces the tokens of an account.
    ///
    /// When this returns, they are on the disk.
    ///
    /// - Parameters:
    ///   - tokens: The new tokens.
    ///   - account: The account.
    /// - Throws: ``OAuthClientError/Code/storageFailed``; the old tokens are kept.
    public func save(_ tokens: TokenSet, of account: ClientAccount) async throws {
        let path = tokenFile(of: account)
        try await withWriteLock(on: account) { try write(tokens, path) }
    }

    private func write(_ tokens: TokenSet, _ path: String) throws {
        try PrivateFile.replace(path, with: JSONValue.object(tokens.json).encoded() + [0x0A])
    }

    /// Deletes the tokens of an account.
    ///
    /// - Parameter account: The account.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    public func deleteTokens(of account: ClientAccount) async throws {
        let path = tokenFile(of: account)
        // Without the directory there are no tokens. Whoever keeps the lock too long does not keep the tokens alive.
        let lock = try? await FileWork.lock(writeLockFile(of: account), timeout: timeout)
        defer { withExtendedLifetime(lock) {} }
        let isAlone = lock != nil
        try await FileWork.run {
            try PrivateFile.delete(path)
            if isAlone { removeLeftovers(of: account) }
        }
    }

    /// Changes the tokens of an account in one step, under a lock of its own that is held only to read and write.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - change: Gets the stored tokens, `nil` when there are none, and returns what to store; `nil` deletes them.
    /// - Throws: What `change` throws; ``OAuthClientError/Code/storageFailed``.
    public func updateTokens(
        of account: ClientAccount,
        _ change: @escaping @Sendable (TokenSet?) throws -> TokenSet?
    ) async throws {
        let path = tokenFile(of: account)
        try await withWriteLock(on: account) {
            let stored = try read(path)
            let new = try change(stored)
            guard new != stored else { return }
            if let new { try write(new, path) } else { try PrivateFile.delete(path) }
        }
    }

    private func withWriteLock(on account: ClientAccount, _ body: @escaping @Sendable () throws -> Void) async throws {
        try await FileWork.run { try makeDirectory(of: account) }
        let lock = try await FileWork.lock(writeLockFile(of: account), timeout: timeout)
        defer { withExtendedLifetime(lock) {} }
        try await FileWork.run {
            removeLeftovers(of: account)
            try body()
        }
    }

    /// Deletes the tokens that killed processes were writing; only under the lock of writers, when nobody writes.
    ///
    /// Those of earlier versions too: in a directory that is named after a hash, no user keeps copies.
    private func removeLeftovers(of account: ClientAccount) {
        PrivateFile.removeLeftovers(of: tokenFile(of: account), includingOldNames: true)
    }

    /// Whether a server has ever given this client bound tokens: there is a file that says so.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the server.
    ///   - clientID: The client identifier.
    /// - Returns: What was set last, by any process.
    /// - Throws: ``OAuthClientError/Code/storageFailed``, also when others may change the file.
    public func hasGivenBoundTokens(issuer: String, clientID: String) async throws -> Bool {
        let path = boundTokensFile(issuer, clientID)
        return try await FileWork.run { try PrivateFile.read(path, maximumSize: Self.maximumSize) != nil }
    }

    /// Remembers that a server gave bound tokens, or forgets it.
    ///
    /// - Parameters:
    ///   - hasGiven: What to remember.
    ///   - issuer: The issuer identifier of the server.
    ///   - clientID: The client identifier.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    public func setHasGivenBoundTokens(_ hasGiven: Bool, issuer: String, clientID: String) async throws {
        let path = boundTokensFile(issuer, clientID)
        let content = JSONValue.object(["issuer": .string(issuer), "client_id": .string(clientID)]).encoded()
        try await FileWork.run {
            guard hasGiven else {
                try PrivateFile.delete(path)
                return PrivateDirectory.removeEmpty(self.path(of: .ofAll(issuer: issuer, clientID: clientID)))
            }
            try makeDirectory(of: .ofAll(issuer: issuer, clientID: clientID))
            try PrivateFile.replace(path, with: content + [0x0A])
        }
    }

    private func boundTokensFile(_ issuer: String, _ clientID: String) -> String {
        path(of: .ofAll(issuer: issuer, clientID: clientID)) + "/bound-tokens.json"
    }

    /// Runs a refresh while no other process, and no other session of this one, refreshes the same account.
    ///
    /// The system releases the lock when the process ends, for any reason.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - body: What to run.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; ``OAuthClientError/Code/storageFailed`` when the lock is not acquired in time.
    public func withRefreshLock<Result: Sendable>(
        on account: ClientAccount,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await FileWork.run { try makeDirectory(of: account) }
        let lock = try await FileWork.lock(path(of: account) + "/lock", timeout: timeout)
        defer { withExtendedLifetime(lock) {} }
        return try await body()
    }

    private func makeDirectory(of account: ClientAccount) throws {
        try PrivateDirectory.make(at: directory)
        try PrivateDirectory.make(at: path(of: account))
        try PrivateDirectory.requirePrivate(path(of: account))
        #if os(iOS) || os(visionOS)
        ApplePrivateDirectory.protect(directory)
        ApplePrivateDirectory.protect(path(of: account))
        #endif
    }

    private func path(of account: ClientAccount) -> String {
        directory + "/" + account.identifier
    }

    private func writeLockFile(of account: ClientAccount) -> String {
        path(of: account) + "/write-lock"
    }

    private func tokenFile(of account: ClientAccount) -> String {
        path(of: account) + "/" + Self.fileName
    }
}
