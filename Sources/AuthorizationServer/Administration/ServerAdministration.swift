// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
public import ServerStorage
import StrictJSON

/// The tasks of an operator: to add and remove users and clients.
public struct ServerAdministration: Sendable {
    let storage: any AuthorizationStorage
    private let passwords: PasswordHasher
    let clock: any WallClock
    let entropy: any Entropy
    private let trail: OperatorTrail

    /// Makes the administration of a storage.
    ///
    /// - Parameters:
    ///   - storage: Stores users and clients.
    ///   - passwords: Hashes passwords.
    ///   - clock: The clock.
    ///   - entropy: The source of subjects and client identifiers.
    ///   - audit: Receives the events that the operator must keep for audits.
    ///   - operatorName: The name of the operator, for audit events.
    public init(
        storage: any AuthorizationStorage,
        passwords: PasswordHasher = PasswordHasher(),
        clock: any WallClock = SystemWallClock(),
        entropy: any Entropy = SystemEntropy(),
        audit: (any AuditSink)? = nil,
        operatorName: String? = nil
    ) {
        self.storage = storage
        self.passwords = passwords
        self.clock = clock
        self.entropy = entropy
        trail = OperatorTrail(audit, operatorName: operatorName)
    }

    /// Adds a user.
    ///
    /// - Parameters:
    ///   - username: The user name: 1 to 128 characters, at most 256 bytes, ASCII letters of either case. Letters and
    ///     digits of any script, ASCII punctuation, and one space between words are allowed, in normalization form C (RFC
    ///     8265 section 3.4).
    ///   - password: The password: 8 to 1024 bytes (NIST SP 800-63B section 5.1.1.2).
    /// - Returns: The account; its `sub` is random.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue``,
    ///   ``AuthorizationServerError/Code/alreadyExists``, ``AuthorizationServerError/Code/storageFailed``,
    ///   ``AuthorizationServerError/Code/busy``, ``AuthorizationServerError/Code/passwordHashingFailed``.
    public func addUser(username: String, password: String) async throws(AuthorizationServerError) -> UserAccount {
        let name = try NewUsername.stored(username)
        let account = UserAccount(
            subject: Base64URL.encode(entropy.bytes(16)),
            username: name,
            passwordHash: try await hash(password),
            createdAt: clock.now()
        )
        guard try await stored({ try await $0.add(account) }) else {
            throw AuthorizationServerError(.alreadyExists, "there is already a user of this name")
        }
        record(.userAdded, subject: account.subject)
        return account
    }

    /// The hash of a password, after a check of its length.
    func hash(_ password: String) async throws(AuthorizationServerError) -> PasswordHash {
        guard (8...1024).contains(password.utf8.count) else {
            throw AuthorizationServerError(.invalidValue, "a password has 8 to 1024 bytes")
        }
        return try await passwords.hash(password)
    }

    func record(
        _ kind: AuditEvent.Kind,
        clientID: String? = nil,
        subject: String? = nil,
        grantID: String? = nil,
        detail: String? = nil
    ) {
        trail.record(
            kind,
            at: clock.now(),
            clientID: clientID,
            subject: subject,
            grantID: grantID,
            detail: detail
        )
    }

    func stored<Value: Sendable>(
        _ operation: (any AuthorizationStorage) async throws -> Value
    ) async throws(AuthorizationServerError) -> Value {
        do {
            return try await operation(storage)
        } catch {
            throw AuthorizationServerError(.storageFailed, "the storage did not answer", underlying: error)
        }
    }

    func random() -> String {
        Base64URL.encode(entropy.bytes(32))
    }
}
