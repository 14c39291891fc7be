// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import OAuthSystem
public import SigningKeys
import StrictJSON

/// Keeps the tokens of each account in the Keychain of an Apple device, for an app and its extensions.
///
/// Items never leave the device, like the key that the tokens are bound to, and are replaced atomically. A directory
/// that the processes share holds the locks for refreshes and a random identifier of this installation. Keychain items
/// outlive the app: tokens of an installation that was removed are deleted, not used.
///
/// The system terminates a process that is suspended while it holds a lock in a shared container: the app must refresh
/// within a background task.
public struct KeychainTokenStore: TokenStore {
    private static let service = "keybound.tokens"
    /// The maximum size of an item, in bytes.
    private static let maximumSize = 131_072

    private let items: KeychainItems
    private let installation: InstallationID
    private let directory: String
    private let timeout: Duration

    /// Makes a store; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - directory: The directory for locks, in the container of the app group, or in that of the app if it has no
    ///     extensions. It is created with mode 0700 if missing, but not its parents. Do not use a directory that the
    ///     system empties, such as caches.
    ///   - accessGroup: The access group that the app and its extensions share, with its prefix; `nil` for the first
    ///     one of the app. Use that of the keys.
    ///   - accessibility: When the tokens can be read; use that of the keys.
    ///   - timeout: How long to wait for another process that refreshes.
    public init(
        directory: String,
        accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
        timeout: Duration = .seconds(60)
    ) {
        items = KeychainItems(service: Self.service, accessGroup: accessGroup, accessibility: accessibility)
        installation = InstallationID(directory: directory, timeout: timeout)
        self.directory = directory
        self.timeout = timeout
    }

    /// The tokens of an account.
    ///
    /// - Parameter account: The account.
    /// - Returns: The tokens that were saved last, by any process of this installation; `nil` when there are none.
    /// - Throws: ``OAuthClientError/Code/storageFailed``; if the device is locked, its underlying error is a
    ///   `KeyStoreError` of `deviceLocked`.
    public func tokens(of account: ClientAccount) async throws -> TokenSet? {
        // Read the item first: its writer had written the installation identifier before it.
        guard let item = try await item(of: account) else { return nil }
        guard item.mark == (try await installation.current()) else {
            try await forget(item, of: account)
            return nil
        }
        return try Self.tokens(in: item)
    }

    private static func tokens(in item: (mark: [UInt8], tokens: [UInt8])) throws -> TokenSet {
        guard let object = try? JSONValue(parsing: item.tokens).objectValue else {
            throw OAuthClientError(.storageFailed, "the tokens in the Keychain are damaged; sign in again")
        }
        return try TokenSet(parsing: object)
    }

    /// Replaces the tokens of an account atomically.
    ///
    /// - Parameters:
    ///   - tokens: The new tokens.
    ///   - account: The account.
    /// - Throws: ``OAuthClientError/Code/storageFailed``; the old tokens are kept.
    public func save(_ tokens: TokenSet, of account: ClientAccount) async throws {
        try await installation.withLock { mark in try await write(tokens, of: account, mark) }
    }

    private func write(_ tokens: TokenSet, of account: ClientAccount, _ mark: [UInt8]) async throws {
        let content = JSONValue.object(tokens.json).encoded()
        guard content.count + InstallationID.count <= Self.maximumSize else {
            throw OAuthClientError(.storageFailed, "the tokens have more than \(Self.maximumSize) bytes")
        }
        try await keychain { items throws(KeyStoreError) in try items.replace(account.identifier, mark + content) }
    }

    /// Deletes the tokens of an account.
    ///
    /// - Parameter account: The account.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    public func deleteTokens(of account: ClientAccount) async throws {
        try await installation.withLock { _ in try await deleteItem(of: account) }
    }

    /// Changes the tokens of an account in one step.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - change: Gets the stored tokens, `nil` when there are none, and returns what to store; `nil` deletes them.
    /// - Throws: What `change` throws; ``OAuthClientError/Code/storageFailed``.
    public func updateTokens(
        of account: ClientAccount,
        _ change: @escaping @Sendable (TokenSet?) throws -> TokenSet?
    ) async throws {
        try await installation.withLock { mark in
            let item = try await item(of: account)
            // Those of a removed installation are not used.
            let stored = try item.flatMap { $0.mark == mark ? try Self.tokens(in: $0) : nil }
            let new = try change(stored)
            guard new != stored else { return }
            if let new { try await write(new, of: account, mark) } else { try await deleteItem(of: account) }
        }
    }

    private func deleteItem(of account: ClientAccount) async throws {
        try await keychain { items throws(KeyStoreError) in try items.delete(account.identifier) }
    }

    /// Whether a server has ever given this client bound tokens: there is an item that says so.
    ///
    /// It outlives the app: a new installation knows it too.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the server.
    ///   - clientID: The client identifier.
    /// - Returns: What was set last, by any process.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    public func hasGivenBoundTokens(issuer: String, clientID: String) async throws -> Bool {
        let name = Self.boundTokensItem(issuer, clientID)
        return try await keychain { items throws(KeyStoreError) in try items.value(of: name) != nil }
    }

    /// Remembers that a server gave bound tokens, or forgets it.
    ///
    /// - Parameters:
    ///   - hasGiven: What to remember.
    ///   - issuer: The issuer identifier of the server.
    ///   - clientID: The client identifier.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    public func setHasGivenBoundTokens(_ hasGiven: Bool, issuer: String, clientID: String) async throws {
        let name = Self.boundTokensItem(issuer, clientID)
        try await keychain { items throws(KeyStoreError) in
            if hasGiven { try items.replace(name, [1]) } else { try items.delete(name) }
        }
    }

    private static func boundTokensItem(_ issuer: String, _ clientID: String) -> String {
        ClientAccount.ofAll(issuer: issuer, clientID: clientID).identifier + ".bound-tokens"
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
        try await installation.makeDirectory()
        let lock = try await FileWork.lock(directory + "/" + account.identifier + ".lock", timeout: timeout)
        defer { withExtendedLifetime(lock) {} }
        return try await body()
    }

    private func item(of account: ClientAccount) async throws -> (mark: [UInt8], tokens: [UInt8])? {
        let value = try await keychain { items throws(KeyStoreError) in try items.value(of: account.identifier) }
        guard let value else { return nil }
        return (Array(value.prefix(InstallationID.count)), Array(value.dropFirst(InstallationID.count)))
    }

    /// Deletes the tokens of a removed installation, unless the user has signed in meanwhile.
    private func forget(_ item: (mark: [UInt8], tokens: [UInt8]), of account: ClientAccount) async throws {
        try await installation.withLock { _ in
            guard try await self.item(of: account)?.mark == item.mark else { return }
            try await deleteItem(of: account)
        }
    }

    private func keychain<Value: Sendable>(
        _ work: @escaping @Sendable (KeychainItems) throws(KeyStoreError) -> Value
    ) async throws(OAuthClientError) -> Value {
        do {
            return try await BlockingWork.run { try work(items) }
        } catch {
            let reason = (error as? KeyStoreError)?.reason ?? "the Keychain failed"
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be reached: \(reason)")
        }
    }
}
#endif
