// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import OAuthSystem
import StrictJSON

/// The accounts of the user of this machine: a directory for each, which only that user can read.
///
/// In each: `account.json`, `tokens.json`, `keys/`, and locks; while a sign-in waits for its response, `pending.json`
/// and `sign-ins/`.
struct AccountDirectory: Sendable {
    private let root: String

    init() throws {
        root = try StateDirectory.path() + "/accounts"
    }

    func path(of account: ClientAccount) -> String {
        root + "/" + account.identifier
    }

    func make(for account: ClientAccount) throws {
        try PrivateDirectory.makeWithParents(at: path(of: account))
        try PrivateDirectory.requirePrivate(root)
        try PrivateDirectory.requirePrivate(path(of: account))
    }

    var tokenStore: FileTokenStore { FileTokenStore(directory: root) }

    /// Deletes the tokens, and what is remembered of the server: the command takes bound tokens only, with or without it.
    func deleteTokens(of account: ClientAccount) async throws {
        try await tokenStore.deleteTokens(of: account)
        try await tokenStore.setHasGivenBoundTokens(false, issuer: account.issuer, clientID: account.clientID)
    }

    func keyDirectory(of account: ClientAccount) -> String {
        path(of: account) + "/keys"
    }

    func lockFile(of account: ClientAccount) -> String {
        path(of: account) + "/lock"
    }

    /// Held during a sign-in: only one at a time.
    func signInLockFile(of account: ClientAccount) -> String {
        path(of: account) + "/login.lock"
    }

    /// Pending sign-ins: one for each account, because a new one replaces the previous one.
    func transactionStore(of account: ClientAccount) -> FileTransactionStore {
        FileTransactionStore(directory: path(of: account) + "/sign-ins", capacity: 1)
    }

    /// The record of an account; `nil` when it is not signed in.
    func record(of account: ClientAccount) throws -> AccountRecord? {
        try record(at: path(of: account) + Self.accountFile)
    }

    /// Every account that is signed in, in the order of the directory names.
    func records() throws -> [AccountRecord] {
        try DirectoryListing.names(in: root).compactMap { try record(at: root + "/" + $0 + Self.accountFile) }
    }

    /// The account whose pending sign-in has this `state`; `nil` if there is none.
    func pendingRecord(state: String) async throws -> AccountRecord? {
        for name in try DirectoryListing.names(in: root) {
            // A damaged record of one account must not block the others.
            guard let record = try? record(at: root + "/" + name + Self.pendingFile) else { continue }
            let waits = try? await transactionStore(of: record.account).holds(state: state)
            if waits == true { return record }
        }
        return nil
    }

    /// The record of a pending sign-in; `nil` if there is none.
    func pendingRecord(of account: ClientAccount) throws -> AccountRecord? {
        try record(at: path(of: account) + Self.pendingFile)
    }

    /// Every sign-in that waits for its response, or whose process was killed.
    func pendingRecords() throws -> [AccountRecord] {
        // A damaged record of one account must not block the others.
        try DirectoryListing.names(in: root).compactMap { try? record(at: root + "/" + $0 + Self.pendingFile) }
    }

    /// Stores what another process needs to finish the sign-in.
    func savePending(_ record: AccountRecord) throws {
        try write(record, to: Self.pendingFile)
    }

    /// Deletes a pending sign-in.
    func deletePending(_ account: ClientAccount) throws {
        let signIns = path(of: account) + "/sign-ins"
        for name in try DirectoryListing.names(in: signIns) { try PrivateFile.delete(signIns + "/" + name) }
        PrivateDirectory.removeEmpty(signIns)
        try PrivateFile.delete(path(of: account) + Self.pendingFile)
    }

    /// The account that was signed in last; `nil` when it is gone.
    func current() throws -> AccountRecord? {
        guard PrivateFile.exists(currentFile) else { return nil }
        let identifier = try InputFile.line(currentFile, limit: 4096)
        // The name becomes part of a path.
        guard identifier.utf8.count == 43, (try? Base64URL.decode(identifier)) != nil else { return nil }
        return try record(at: root + "/" + identifier + Self.accountFile)
    }

    /// Stores an account as the one that was signed in last.
    func save(_ record: AccountRecord) throws {
        try write(record, to: Self.accountFile)
        try PrivateFile.replace(currentFile, with: Array((record.account.identifier + "\n").utf8))
    }

    /// Changes what is stored of an account, without making it the one that was signed in last.
    ///
    /// The record is read again, so that what another process changed is kept; one that was signed out stays so.
    func update(_ account: ClientAccount, _ change: (inout AccountRecord) -> Void) throws {
        guard var record = try record(of: account) else { return }
        change(&record)
        try write(record, to: Self.accountFile)
    }

    /// Deletes the rest of an account; its tokens and key are already deleted.
    func delete(_ account: ClientAccount) throws {
        if let current = try current(), current.account == account { try PrivateFile.delete(currentFile) }
        try deletePending(account)
        try PrivateFile.delete(path(of: account) + Self.accountFile)
        try PrivateFile.delete(lockFile(of: account))
        try PrivateFile.delete(path(of: account) + "/write-lock")
        try PrivateFile.delete(signInLockFile(of: account))
        try PrivateFile.delete(keyDirectory(of: account) + "/.lock")
        PrivateDirectory.removeEmpty(keyDirectory(of: account))
        PrivateDirectory.removeEmpty(path(of: account))
    }

    private static let accountFile = "/account.json"
    private static let pendingFile = "/pending.json"

    private var currentFile: String { root + "/current" }

    private func write(_ record: AccountRecord, to file: String) throws {
        let content = JSONValue.object(record.json).encoded() + [0x0A]
        try PrivateFile.replace(path(of: record.account) + file, with: content)
    }

    private func record(at file: String) throws -> AccountRecord? {
        guard PrivateFile.exists(file) else { return nil }
        guard let object = try? JSONValue(parsing: InputFile.read(file)).objectValue,
            let record = AccountRecord(stored: object)
        else {
            throw CommandFailure(.failure, "\(file) cannot be read", hint: "delete it and sign in again")
        }
        return record
    }
}
