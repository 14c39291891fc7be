// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import OAuthSystem
import StrictJSON

/// The accounts of the user of this machine: a directory for each, which only that user can read.
///
/// In each: `account.json`, `tokens.json`, `keys/`, and locks; while a sign-in waits for its response, `pending.json`
/// and `sign-ins/`.
///
/// A record decides what the command does: it can name a PKCS #11 module, which is loaded. So nothing is read here that another user
/// can have written.
struct AccountDirectory: Sendable {
    private let root: String

    /// - Throws: ``CommandFailure``, if another user can write to the directory.
    init() throws {
        root = try StateDirectory.path() + "/accounts"
        try Self.requirePrivate(root)
    }

    func path(of account: ClientAccount) -> String {
        root + "/" + account.identifier
    }

    func make(for account: ClientAccount) throws {
        try PrivateDirectory.makeWithParents(at: path(of: account))
        try Self.requirePrivate(root)
        try Self.requirePrivate(path(of: account))
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
        try record(of: account.identifier, in: Self.accountFile)
    }

    /// Every account that is signed in, in the order of the directory names; warns of those that cannot be read.
    func records() throws -> [AccountRecord] {
        let stored = try storedRecords()
        Self.warn(of: stored.failures)
        return stored.records
    }

    /// Every account that is signed in, in the order of the directory names, and why others cannot be read.
    ///
    /// A damaged record of one account must not block the others.
    func storedRecords() throws -> (records: [AccountRecord], failures: [CommandFailure]) {
        var records: [AccountRecord] = []
        var failures: [CommandFailure] = []
        for identifier in try identifiers() {
            do {
                if let record = try record(of: identifier, in: Self.accountFile) { records.append(record) }
            } catch {
                failures.append(CommandFailure(describing: error))
            }
        }
        return (records, failures)
    }

    /// Says on standard error which accounts are left out.
    static func warn(of failures: [CommandFailure]) {
        for failure in failures {
            Console.warn("an account is left out: " + ([failure.message] + failure.hints).joined(separator: "; "))
        }
    }

    /// The account whose pending sign-in has this `state`; `nil` if there is none.
    func pendingRecord(state: String) async throws -> AccountRecord? {
        for identifier in try identifiers() {
            // A damaged record of one account must not block the others.
            guard let record = try? record(of: identifier, in: Self.pendingFile) else { continue }
            let waits = try? await transactionStore(of: record.account).holds(state: state)
            if waits == true { return record }
        }
        return nil
    }

    /// The record of a pending sign-in; `nil` if there is none.
    func pendingRecord(of account: ClientAccount) throws -> AccountRecord? {
        try record(of: account.identifier, in: Self.pendingFile)
    }

    /// Every sign-in that waits for its response, or whose process was killed.
    func pendingRecords() throws -> [AccountRecord] {
        // A damaged record of one account must not block the others.
        try identifiers().compactMap { try? record(of: $0, in: Self.pendingFile) }
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
        try currentIdentifier().flatMap { try record(of: $0, in: Self.accountFile) }
    }

    private func currentIdentifier() throws -> String? {
        guard let content = try Self.read(currentFile, maximumSize: 4096) else { return nil }
        let identifier = String(decoding: content, as: UTF8.self).droppingLineBreak
        return Self.isIdentifier(identifier) ? identifier : nil
    }

    /// Stores an account: from then on it is signed in.
    func save(_ record: AccountRecord) throws {
        try write(record, to: Self.accountFile)
    }

    /// Notes an account as the one that was signed in last.
    func setCurrent(_ account: ClientAccount) throws {
        try PrivateFile.replace(currentFile, with: Array((account.identifier + "\n").utf8))
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
        // One that cannot be read names no account, and keeps nobody from signing out.
        if (try? currentIdentifier()) == account.identifier { try PrivateFile.delete(currentFile) }
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

    /// Reads a record of an account, in one of its files.
    private func record(of identifier: String, in file: String) throws -> AccountRecord? {
        let directory = root + "/" + identifier
        try Self.requirePrivate(directory)
        let path = directory + file
        guard let content = try Self.read(path, maximumSize: 1 << 20) else { return nil }
        guard let object = try? JSONValue(parsing: content).objectValue, let record = AccountRecord(stored: object)
        else {
            throw CommandFailure(.failure, "\(path) is damaged", hint: "delete it and sign in again")
        }
        return record
    }

    /// The names of the directories of accounts.
    private func identifiers() throws -> [String] {
        try DirectoryListing.names(in: root).filter(Self.isIdentifier)
    }

    /// Whether a text can be the name of an account: it becomes part of a path.
    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 43 && (try? Base64URL.decode(text)) != nil
    }

    /// Rejects a directory that another user made, can write to or can read; one that is not there is good.
    private static func requirePrivate(_ path: String) throws {
        guard InputFile.exists(at: path) else { return }
        try explained("another user may have put accounts there; $XDG_STATE_HOME names another place") {
            () throws(FileError) in try PrivateDirectory.requirePrivate(path)
        }
    }

    /// Reads a file of this user that no other user can have written or may read; `nil` if there is none.
    private static func read(_ path: String, maximumSize: Int) throws -> [UInt8]? {
        try explained("if another user can have changed it, delete it and sign in again") {
            () throws(FileError) in try PrivateFile.read(path, maximumSize: maximumSize)
        }
    }

    /// Adds a hint to what is wrong with a file, unless the system could not read it: then the file itself may be good.
    private static func explained<Value>(_ hint: String, _ body: () throws(FileError) -> Value) throws -> Value {
        do throws(FileError) {
            return try body()
        } catch {
            guard error.number == nil else { throw error }
            throw CommandFailure(.failure, error.reason, hint: hint)
        }
    }
}
