// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
import OAuthSystem
public import ServerStorage

extension ServerAdministration {
    /// Registers a client.
    ///
    /// - Parameter client: The client.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue`` if a redirect URI is not
    ///   acceptable (RFC 9700 section 2.1), or its credentials do not fit its authentication method,
    ///   ``AuthorizationServerError/Code/alreadyExists``, ``AuthorizationServerError/Code/storageFailed``.
    public func addClient(_ client: RegisteredClient) async throws(AuthorizationServerError) {
        try ClientRules.check(client)
        // RFC 9068 section 5: an API must not mistake a client for a user.
        var client = client
        client.registrationID = client.registrationID ?? random()
        let isFree = try await stored { [client] in
            guard try await $0.user(subject: client.clientID) == nil else { return false }
            return try await $0.add(client)
        }
        guard isFree else { throw .clientExists }
        record(.clientAdded, clientID: client.clientID)
    }

    /// Checks whether a client could be registered; changes nothing.
    ///
    /// - Parameter client: The client, with the hash of its secret if it needs one.
    /// - Throws: ``AuthorizationServerError``, as ``addClient(_:)`` does.
    public func checkNewClient(_ client: RegisteredClient) async throws(AuthorizationServerError) {
        try ClientRules.check(client)
        let isFree = try await stored {
            guard try await $0.user(subject: client.clientID) == nil else { return false }
            return try await $0.client(client.clientID) == nil
        }
        guard isFree else { throw .clientExists }
    }

    /// Lists the clients, whoever registered them.
    ///
    /// - Returns: All clients, in the order of their identifiers.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``.
    public func clients() async throws(AuthorizationServerError) -> [RegisteredClient] {
        try await stored { try await $0.clients() }
    }

    /// Changes what is registered of a client; its secrets and tokens stay.
    ///
    /// Its grant types, the way it authenticates, what it may introspect and its rights for token exchange are those of
    /// its registration and cannot be changed; to change one of them, remove the client and add it again.
    ///
    /// - Parameters:
    ///   - clientID: `client_id`.
    ///   - dryRun: Whether to check the change only.
    ///   - change: Makes the change; called again if another process changed the client in the meantime.
    /// - Returns: The client before and after.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/notFound`` if there is no such client,
    ///   ``AuthorizationServerError/Code/invalidValue`` if what it would be is not acceptable, or `change` changes what
    ///   cannot be changed, ``AuthorizationServerError/Code/storageFailed``; what `change` throws.
    public func changeClient(
        _ clientID: String,
        dryRun: Bool = false,
        _ change: (inout RegisteredClient) throws -> Void
    ) async throws -> ClientChange {
        while true {
            guard let before = try await stored({ try await $0.client(clientID) }) else {
                throw AuthorizationServerError.noSuchClient
            }
            var client = before
            try change(&client)
            let outcome = try ClientChange(from: before, to: client)
            try ClientRules.check(client, isNew: false)
            guard !dryRun, !outcome.changed.isEmpty else { return outcome }
            let attempt = WriteAttempt(entropy: entropy)
            guard try await stored({ [client] in try await $0.replace(client, by: attempt) }) else { continue }
            record(.clientChanged, clientID: clientID, detail: outcome.changed.joined(separator: " "))
            return outcome
        }
    }

    /// Makes a secret for a client to register: 256 random bits, with a prefix for secret scanners.
    ///
    /// - Returns: The secret. It is not stored anywhere; register ``/ServerStorage/SecretHash/init(of:)`` of its value.
    public func makeClientSecret() -> ClientSecret {
        ClientSecret(SecretPrefix.clientSecret.rawValue + random())
    }

    /// Adds a new secret to a client; the previous one stays valid until the next one is added.
    ///
    /// - Parameter clientID: `client_id`.
    /// - Returns: The secret, which is shown only once: the server stores only its hash.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/notFound`` if there is no such client,
    ///   ``AuthorizationServerError/Code/invalidValue`` if it authenticates in another way,
    ///   ``AuthorizationServerError/Code/storageFailed``.
    public func newClientSecret(for clientID: String) async throws(AuthorizationServerError) -> ClientSecret {
        let secret = makeClientSecret()
        guard let client = try await stored({ try await $0.client(clientID) }) else { throw .noSuchClient }
        guard [.clientSecretBasic, .clientSecretPost].contains(client.tokenEndpointAuthMethod) else {
            throw AuthorizationServerError(
                .invalidValue,
                "the client has no secret: it authenticates by \(client.tokenEndpointAuthMethod)"
            )
        }
        let hash = SecretHash(of: secret.value)
        guard try await stored({ try await $0.addSecret(hash, to: clientID) }) else { throw .noSuchClient }
        record(.clientSecretAdded, clientID: clientID)
        return secret
    }

    /// Removes a client and revokes all of its tokens.
    ///
    /// - Parameter clientID: `client_id`.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/notFound`` if there is no such client,
    ///   ``AuthorizationServerError/Code/storageFailed``.
    public func removeClient(_ clientID: String) async throws(AuthorizationServerError) {
        let now = clock.now()
        guard try await stored({ try await $0.removeClient(clientID, at: now) }) else { throw .noSuchClient }
        record(.clientRemoved, clientID: clientID)
    }
}

extension AuthorizationServerError {
    fileprivate static let clientExists = Self(.alreadyExists, "there is already a client of this client_id")
    fileprivate static let noSuchClient = Self(.notFound, "there is no client of this client_id")
}
