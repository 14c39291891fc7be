// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
public import ServerStorage
public import StrictJSON

extension SQLiteAuthorizationStorage {
    /// The account with a user name; see ``/ServerStorage/UserStore/user(named:)``.
    ///
    /// - Parameter username: The user name in its stored form.
    /// - Returns: The account; `nil` if there is none.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func user(named username: String) async throws(StorageError) -> UserAccount? {
        try await reader.perform { connection throws(StorageError) in
            try connection.user(named: username)
        }
    }

    /// The account with a subject; see ``/ServerStorage/UserStore/user(subject:)``.
    ///
    /// - Parameter subject: `sub`.
    /// - Returns: The account; `nil` if there is none.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func user(subject: String) async throws(StorageError) -> UserAccount? {
        try await reader.perform { connection throws(StorageError) in
            try connection.user(subject: subject)
        }
    }

    /// Lists the accounts.
    ///
    /// - Returns: All accounts, in the order of their user names.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func users() async throws(StorageError) -> [UserAccount] {
        try await reader.perform { connection throws(StorageError) in
            try connection.rows(
                "SELECT subject, username, password_hash, created_at, claims FROM users ORDER BY username",
                read: UserAccount.init(row:)
            )
        }
    }

    /// Stores a new account; see ``/ServerStorage/UserStore/add(_:)``.
    ///
    /// - Parameter user: The account.
    /// - Returns: `false`, and nothing is stored, when its user name or subject is taken.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func add(_ user: UserAccount) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            let stored = try connection.user(subject: user.subject)
            if let stored { return stored == user && stored.username.isIdentical(to: user.username) }
            return try connection.run(
                """
                INSERT INTO users (subject, username, password_hash, created_at, claims)
                VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
                user.storedValues
            ) == 1
        }
    }

    /// Sets the claims of an account; see ``/ServerStorage/UserStore/setClaims(_:of:replacing:)``.
    ///
    /// - Parameters:
    ///   - claims: All claims of the account from now on.
    ///   - subject: `sub`.
    ///   - expected: The claims that the account must have until now; `nil` for any.
    /// - Returns: `false`, and nothing has changed, if there is no such account or it has other claims.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func setClaims(
        _ claims: JSONObject,
        of subject: String,
        replacing expected: JSONObject?
    ) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            let stored = try connection.row(
                "SELECT claims FROM users WHERE subject = ?",
                [.text(subject)]
            ) { row throws(StorageError) in try row.claims(0) }
            guard let stored else { return false }
            if stored == claims { return true }
            guard expected == nil || expected == stored else { return false }
            return try connection.run(
                "UPDATE users SET claims = ? WHERE subject = ?",
                [.claims(claims), .text(subject)]
            ) == 1
        }
    }
}

extension SQLiteConnection {
    func user(named username: String) throws(StorageError) -> UserAccount? {
        try row(
            "SELECT subject, username, password_hash, created_at, claims FROM users WHERE username = ?",
            [.text(username)],
            read: UserAccount.init(row:)
        )
    }

    func user(subject: String) throws(StorageError) -> UserAccount? {
        try row(
            "SELECT subject, username, password_hash, created_at, claims FROM users WHERE subject = ?",
            [.text(subject)],
            read: UserAccount.init(row:)
        )
    }

    /// The password of an account.
    func passwordHash(of subject: String) throws(StorageError) -> PasswordHash? {
        try row("SELECT password_hash FROM users WHERE subject = ?1", [.text(subject)]) {
            row throws(StorageError) in PasswordHash(stored: try row.text(0))
        }
    }
}
#endif
