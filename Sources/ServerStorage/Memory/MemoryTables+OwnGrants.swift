// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

extension MemoryTables {
    /// Whether a client is stored by the registration with this identifier, which is random.
    func isRegistered(_ client: RegisteredClient) -> Bool {
        guard let stored = clients[Key(client.clientID)]?.registrationID else { return false }
        return client.registrationID?.isIdentical(to: stored) ?? false
    }

    /// Stores a new client; `false` if its identifier, or that of its registration, is taken.
    mutating func add(_ client: RegisteredClient) -> Bool {
        if isRegistered(client) { return true }
        let (key, registration) = (Key(client.clientID), client.registrationID.map { Key($0) })
        guard clients[key] == nil, registration.map({ registrations[$0] == nil }) ?? true else { return false }
        clients[key] = client
        if let registration { registrations[registration] = key }
        return true
    }

    /// A client credentials grant; an entry for it means that it was revoked.
    func grantInForce(_ own: ClientCredentialsGrantID) -> Grant? {
        guard let client = registrations[Key(own.registrationID)].flatMap({ clients[$0] }),
            grants[Key(own.description)] == nil
        else { return nil }
        return own.grant(of: client)
    }

    /// Stores that a client credentials grant is revoked.
    mutating func revoke(_ own: ClientCredentialsGrantID) {
        guard let grant = grantInForce(own) else { return }
        grants[Key(grant.id)] = GrantEntry(record: grant, isRevoked: true, expiresAt: own.forgettableAt)
    }

    /// Revokes all client credentials grants of a client, or of every client for `nil`.
    mutating func revokeOwnGrants(of clientID: String?) {
        let keys = clientID.map { [Key($0)] } ?? Array(clients.keys)
        for key in keys { clients[key]?.ownGrantRevocations += 1 }
    }
}
