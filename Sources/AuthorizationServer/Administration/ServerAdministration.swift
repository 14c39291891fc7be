// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
public import JOSE
import OAuthCore

/// What an operator does with a server: register people and clients.
public struct ServerAdministration: Sendable {
    let storage: any AuthorizationStorage
    private let passwords: PasswordHasher
    let clock: any WallClock
    private let entropy: any Entropy

    /// Makes the administration of a storage.
    ///
    /// - Parameters:
    ///   - storage: Where people and clients are kept.
    ///   - passwords: Who hashes passwords.
    ///   - clock: The time.
    ///   - entropy: Where subjects and client identifiers come from.
    public init(
        storage: any AuthorizationStorage,
        passwords: PasswordHasher = PasswordHasher(),
        clock: any WallClock = SystemWallClock(),
        entropy: any Entropy = SystemEntropy()
    ) {
        self.storage = storage
        self.passwords = passwords
        self.clock = clock
        self.entropy = entropy
    }

    /// Registers a person.
    ///
    /// - Parameters:
    ///   - username: What the person will type: 1 to 128 characters, at most 256 bytes, ASCII letters of either case.
    ///   - password: The password: 8 to 1024 bytes (NIST SP 800-63B section 5.1.1.2).
    /// - Returns: The account; its `sub` is random.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue``,
    ///   ``AuthorizationServerError/Code/alreadyExists``, ``AuthorizationServerError/Code/storageFailed``,
    ///   ``AuthorizationServerError/Code/busy``, ``AuthorizationServerError/Code/passwordHashingFailed``.
    public func addUser(username: String, password: String) async throws(AuthorizationServerError) -> UserAccount {
        let name = Username.stored(username)
        guard (1...128).contains(name.count), name.utf8.count <= Username.maximumLength,
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { throw AuthorizationServerError(.invalidValue, "a user name has 1 to 128 characters, at most 256 bytes") }
        guard (8...1024).contains(password.utf8.count) else {
            throw AuthorizationServerError(.invalidValue, "a password has 8 to 1024 bytes")
        }
        let account = UserAccount(
            subject: Base64URL.encode(entropy.bytes(16)),
            username: name,
            passwordHash: try await passwords.hash(password),
            createdAt: clock.now()
        )
        guard try await stored({ try await $0.add(account) }) else {
            throw AuthorizationServerError(.alreadyExists, "there is already a user of this name")
        }
        return account
    }

    /// Registers a client.
    ///
    /// - Parameter client: The client; a public one.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue`` when a redirect URI is not
    ///   acceptable (RFC 9700 section 2.1), ``AuthorizationServerError/Code/alreadyExists``,
    ///   ``AuthorizationServerError/Code/storageFailed``.
    public func addClient(_ client: RegisteredClient) async throws(AuthorizationServerError) {
        let isVisible: (UInt8) -> Bool = { $0 > 0x20 && $0 < 0x7F }
        guard (1...128).contains(client.clientID.utf8.count), client.clientID.utf8.allSatisfy(isVisible) else {
            throw AuthorizationServerError(.invalidValue, "a client_id has 1 to 128 visible ASCII characters")
        }
        guard !client.redirectURIs.isEmpty else {
            throw AuthorizationServerError(.invalidValue, "a client has at least one redirect URI")
        }
        for uri in client.redirectURIs {
            try RedirectURIRules.check(uri)
        }
        for uri in client.postLogoutRedirectURIs {
            try RedirectURIRules.check(uri)
        }
        let algorithm = client.idTokenSignedResponseAlgorithm
        guard algorithm.map(SignatureAlgorithm.all.contains) ?? true else {
            throw AuthorizationServerError(
                .invalidValue,
                "an id_token_signed_response_alg is a signature, such as RS256"
            )
        }
        guard try await stored({ try await $0.add(client) }) else {
            throw AuthorizationServerError(.alreadyExists, "there is already a client of this client_id")
        }
    }

    private func stored(
        _ operation: (any AuthorizationStorage) async throws -> Bool
    ) async throws(AuthorizationServerError) -> Bool {
        do {
            return try await operation(storage)
        } catch {
            throw AuthorizationServerError(.storageFailed, "the storage did not answer", underlying: error)
        }
    }
}
