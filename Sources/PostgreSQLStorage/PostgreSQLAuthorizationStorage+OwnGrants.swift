// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import ServerStorage

extension PostgreSQLConnection {
    /// A client credentials grant; a row for it means that it was revoked.
    func grant(_ own: ClientCredentialsGrantID) throws(StorageError) -> Grant? {
        let clientID = try row("SELECT client_id FROM clients WHERE registration_id = $1", [.text(own.registrationID)])
        {
            row throws(StorageError) in try row.text(0)
        }
        guard let clientID, let grant = try client(clientID).flatMap({ own.grant(of: $0) }) else { return nil }
        let isRevoked = try row("SELECT 1 FROM grants WHERE id = $1", [.text(grant.id)]) { _ throws(StorageError) in
            true
        }
        return isRevoked == nil ? grant : nil
    }

    /// Stores that a client credentials grant is revoked.
    func revoke(_ own: ClientCredentialsGrantID, at now: Timestamp) throws(StorageError) {
        guard let grant = try grant(own) else { return }
        // Another node may revoke it at the same moment.
        try lock("own \(grant.id)")
        guard try self.grant(own) != nil else { return }
        try insert(grant, until: own.forgettableAt)
        try run("UPDATE grants SET revoked_at = $1 WHERE id = $2", [.time(now), .text(grant.id)])
    }

    /// Revokes all client credentials grants of a client, or of every client for `nil`.
    func revokeOwnGrants(of clientID: String?) throws(StorageError) {
        guard let clientID else {
            try run("UPDATE clients SET own_grant_revocations = own_grant_revocations + 1")
            return
        }
        try run(
            "UPDATE clients SET own_grant_revocations = own_grant_revocations + 1 WHERE client_id = $1",
            [.text(clientID)]
        )
    }
}
#endif
