// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
public import StrictJSON
import Synchronization

extension MemoryAuthorizationStorage {
    /// The client with an identifier; see ``ClientStore/client(_:)``.
    ///
    /// - Parameter clientID: `client_id`.
    /// - Returns: The client; `nil` if there is none.
    public func client(_ clientID: String) -> RegisteredClient? {
        tables.withLock { $0.client(clientID) }
    }

    /// Stores a new client; see ``ClientStore/add(_:)``.
    ///
    /// - Parameter client: The client.
    /// - Returns: `false`, and nothing is stored, when its identifier is taken.
    public func add(_ client: RegisteredClient) -> Bool {
        tables.withLock { $0.add(client) }
    }

    /// Lists the clients; see ``ClientStore/clients()``.
    ///
    /// - Returns: All clients, in the order of their identifiers.
    public func clients() -> [RegisteredClient] {
        tables.withLock { Array($0.clients.values) }
            .sorted { $0.clientID.utf8.lexicographicallyPrecedes($1.clientID.utf8) }
    }

    /// The account with a user name; see ``UserStore/user(named:)``.
    ///
    /// - Parameter username: The user name in its stored form.
    /// - Returns: The account; `nil` if there is none.
    public func user(named username: String) -> UserAccount? {
        tables.withLock { $0.users[MemoryTables.Key(username)] }
    }

    /// The account with a subject; see ``UserStore/user(subject:)``.
    ///
    /// - Parameter subject: `sub`.
    /// - Returns: The account; `nil` if there is none.
    public func user(subject: String) -> UserAccount? {
        tables.withLock { $0.user(subject: subject) }
    }

    /// Stores a new account; see ``UserStore/add(_:)``.
    ///
    /// - Parameter user: The account.
    /// - Returns: `false`, and nothing is stored, when its user name or subject is taken.
    public func add(_ user: UserAccount) -> Bool {
        tables.withLock { tables in
            let (name, subject) = (MemoryTables.Key(user.username), MemoryTables.Key(user.subject))
            if let stored = tables.users[name], stored == user, stored.subject.isIdentical(to: user.subject) {
                return true
            }
            guard tables.users[name] == nil, tables.usernames[subject] == nil else { return false }
            tables.users[name] = user
            tables.usernames[subject] = name
            return true
        }
    }

    /// Sets the claims of an account; see ``UserStore/setClaims(_:of:replacing:)``.
    ///
    /// - Parameters:
    ///   - claims: All claims of the account from now on.
    ///   - subject: `sub`.
    ///   - expected: The claims that the account must have until now; `nil` for any.
    /// - Returns: `false`, and nothing has changed, if there is no such account or it has other claims.
    public func setClaims(_ claims: JSONObject, of subject: String, replacing expected: JSONObject?) -> Bool {
        tables.withLock { tables in
            guard let name = tables.usernames[MemoryTables.Key(subject)], let stored = tables.users[name]?.claims else {
                return false
            }
            guard expected == nil || expected == stored || stored == claims else { return false }
            tables.users[name]?.claims = claims
            return true
        }
    }

    /// Stores a new session and ends the previous one; see ``SessionStore/start(_:replacing:judgedBy:)``.
    ///
    /// - Parameters:
    ///   - session: The new session.
    ///   - previous: The hash of the browser's previous cookie, if any.
    ///   - password: The hash that the user's password was checked against; `nil` if none was.
    /// - Returns: `false`, and nothing has changed, if the account was removed or has another password.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if a session with that cookie is already
    ///   stored.
    public func start(
        _ session: BrowserSession,
        replacing previous: SecretHash?,
        judgedBy password: PasswordHash?
    ) throws(StorageError) -> Bool {
        try tables.withLock { tables throws(StorageError) in
            if let expected = password, tables.user(subject: session.subject)?.passwordHash != expected { return false }
            if let stored = tables.sessions[session.idHash] {
                guard stored != session else { return true }
                guard session.idHash == previous else { throw StorageError.isStoredOtherwise("the session") }
            }
            if let previous { tables.sessions[previous] = nil }
            tables.sessions[session.idHash] = session
            tables.bindRequests(to: session, replacing: previous)
            return true
        }
    }

    /// The session of a cookie; see ``SessionStore/session(_:at:)``.
    ///
    /// - Parameters:
    ///   - idHash: The hash of the cookie.
    ///   - now: The time.
    /// - Returns: The session; `nil` if there is none or it has ended.
    public func session(_ idHash: SecretHash, at now: Timestamp) -> BrowserSession? {
        tables.withLock { $0.session(idHash, at: now) }
    }

    /// Ends a session; does nothing if there is none.
    ///
    /// - Parameter idHash: The hash of the cookie.
    public func endSession(_ idHash: SecretHash) {
        tables.withLock { $0.sessions[idHash] = nil }
    }
}
