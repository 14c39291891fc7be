// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// Lists the accounts; see ``AdministrationStore/users()``.
    ///
    /// - Returns: All accounts, in the order of their user names.
    public func users() -> [UserAccount] {
        tables.withLock { Array($0.users.values) }
            .sorted { $0.username.utf8.lexicographicallyPrecedes($1.username.utf8) }
    }

    /// Sets the password of an account and ends its sessions; see ``AdministrationStore/setPassword(_:of:)``.
    ///
    /// - Parameters:
    ///   - password: The hash of the new password.
    ///   - subject: `sub`.
    /// - Returns: `false` if there is no such account.
    public func setPassword(_ password: PasswordHash, of subject: String) -> Bool {
        tables.withLock { tables in
            guard let name = tables.usernames[MemoryTables.Key(subject)] else { return false }
            tables.users[name]?.passwordHash = password
            tables.endSessions(of: subject)
            return true
        }
    }

    /// Removes an account and everything that belongs to it; see ``AdministrationStore/removeUser(_:at:)``.
    ///
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - now: The time.
    /// - Returns: `false` if there is no such account.
    public func removeUser(_ subject: String, at now: Timestamp) -> Bool {
        tables.withLock { tables in
            guard let name = tables.usernames.removeValue(forKey: MemoryTables.Key(subject)) else { return false }
            tables.users[name] = nil
            tables.endSessions(of: subject)
            tables.consents = tables.consents.filter { !$0.value.subject.isIdentical(to: subject) }
            _ = tables.revokeGrants(of: subject)
            return true
        }
    }

    /// Lists the grants of a user that are in force; see ``AdministrationStore/grants(of:)``.
    ///
    /// - Parameter subject: `sub`.
    /// - Returns: The grants, the oldest first.
    public func grants(of subject: String) -> [Grant] {
        tables.withLock { tables in tables.grants.values.compactMap { tables.grantInForce($0.record.id) } }
            .filter { $0.subject.isIdentical(to: subject) }
            .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// Revokes grants; see ``AdministrationStore/revokeGrants(of:at:)``.
    ///
    /// - Parameters:
    ///   - subject: `sub`; `nil` for all users.
    ///   - now: The time.
    /// - Returns: How many were in force.
    public func revokeGrants(of subject: String?, at now: Timestamp) -> Int {
        tables.withLock { tables in
            if subject == nil {
                tables.sessions = [:]
                tables.endFirstPartySessions { _ in true }
            }
            return tables.revokeGrants(of: subject)
        }
    }
}

extension MemoryTables {
    fileprivate mutating func endSessions(of subject: String) {
        sessions = sessions.filter { !$0.value.subject.isIdentical(to: subject) }
        endFirstPartySessions { $0.user?.subject.isIdentical(to: subject) ?? false }
    }

    fileprivate mutating func revokeGrants(of subject: String?) -> Int {
        let concerned = grants.filter { entry in
            !entry.value.isRevoked && subject.map { entry.value.record.subject.isIdentical(to: $0) } ?? true
        }
        for key in concerned.keys { grants[key]?.isRevoked = true }
        revokeOwnGrants(of: subject)
        return concerned.count
    }
}
