// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
import OAuthSystem
public import ServerStorage

extension ServerAdministration {
    /// Registers a client.
    ///
    /// - Parameter client: The client.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue`` when a redirect URI is not
    ///   acceptable (RFC 9700 section 2.1), or what it has does not go with how it authenticates,
    ///   ``AuthorizationServerError/Code/alreadyExists``, ``AuthorizationServerError/Code/storageFailed``.
    public func addClient(_ client: RegisteredClient) async throws(AuthorizationServerError) {
        try ClientRules.check(client)
        // RFC 9068 section 5: an API must not take a client for a person.
        var client = client
        client.registrationID = client.registrationID ?? random()
        let isFree = try await stored { [client] in
            guard try await $0.user(subject: client.clientID) == nil else { return false }
            return try await $0.add(client)
        }
        guard isFree else {
            throw AuthorizationServerError(.alreadyExists, "there is already a client of this client_id")
        }
        record(.clientAdded, clientID: client.clientID)
    }

    /// Makes a secret for a client that is to be registered: 256 random bits, with a prefix that secret scanners can find.
    ///
    /// - Returns: The secret. It is not stored anywhere; register ``/ServerStorage/SecretHash/init(of:)`` of its value.
    public func makeClientSecret() -> ClientSecret {
        ClientSecret("kbs_" + random())
    }

    /// Gives a client a new secret; the one before stays good until the next one.
    ///
    /// - Parameter clientID: `client_id`.
    /// - Returns: The secret, which is shown this once: only its hash is stored.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue`` when there is no such
    ///   client, or it authenticates in another way, ``AuthorizationServerError/Code/storageFailed``.
    public func newClientSecret(for clientID: String) async throws(AuthorizationServerError) -> ClientSecret {
        let secret = makeClientSecret()
        let isAdded = try await stored {
            let method = try await $0.client(clientID)?.tokenEndpointAuthMethod
            guard method == .clientSecretBasic || method == .clientSecretPost else { return false }
            return try await $0.addSecret(SecretHash(of: secret.value), to: clientID)
        }
        guard isAdded else {
            throw AuthorizationServerError(.invalidValue, "there is no client of this client_id that has a secret")
        }
        record(.clientSecretAdded, clientID: clientID)
        return secret
    }

    /// Removes a client; every token that it was given ends.
    ///
    /// - Parameter clientID: `client_id`.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue`` when there is no such
    ///   client, ``AuthorizationServerError/Code/storageFailed``.
    public func removeClient(_ clientID: String) async throws(AuthorizationServerError) {
        let now = clock.now()
        guard try await stored({ try await $0.removeClient(clientID, at: now) }) else {
            throw AuthorizationServerError(.invalidValue, "there is no client of this client_id")
        }
        record(.clientRemoved, clientID: clientID)
    }
}
