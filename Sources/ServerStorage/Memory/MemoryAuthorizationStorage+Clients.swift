// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// Gives a client a new secret; see ``ClientStore/addSecret(_:to:)``.
    ///
    /// - Parameters:
    ///   - secretHash: The hash of the secret.
    ///   - clientID: `client_id`.
    /// - Returns: `false` if there is no such client.
    public func addSecret(_ secretHash: SecretHash, to clientID: String) -> Bool {
        tables.withLock { tables in
            let key = MemoryTables.Key(clientID)
            guard let client = tables.clients[key] else { return false }
            guard client.secretHashes.first != secretHash else { return true }
            tables.clients[key]?.secretHashes = [secretHash] + client.secretHashes.prefix(1)
            return true
        }
    }

    /// Removes a client and its consents and revokes its grants; see ``ClientStore/removeClient(_:at:)``.
    ///
    /// - Parameters:
    ///   - clientID: `client_id`.
    ///   - now: The time.
    /// - Returns: `false` if there is no such client.
    public func removeClient(_ clientID: String, at now: Timestamp) -> Bool {
        tables.withLock { tables in
            guard let client = tables.clients.removeValue(forKey: MemoryTables.Key(clientID)) else { return false }
            if let registrationID = client.registrationID {
                tables.registrations[MemoryTables.Key(registrationID)] = nil
            }
            tables.consents = tables.consents.filter { !$0.value.clientID.isIdentical(to: clientID) }
            tables.removeDevices(of: clientID)
            for (key, entry) in tables.grants where entry.record.clientID.isIdentical(to: clientID) {
                tables.grants[key]?.isRevoked = true
            }
            return true
        }
    }

    /// Stores a grant of an access token only; see ``GrantStore/record(_:until:recording:at:)``.
    ///
    /// - Parameters:
    ///   - grant: The grant.
    ///   - end: When the access token expires.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: Whether it was recorded.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if another grant with that identifier is stored.
    public func record(
        _ grant: Grant,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) throws(StorageError) -> Recorded<Void> {
        try recorded(recording, at: now) { tables throws(StorageError) in
            let key = MemoryTables.Key(grant.id)
            if let stored = tables.grants[key] {
                guard stored.record == grant else { throw MemoryTables.alreadyStored("the grant") }
                return
            }
            tables.grants[key] = MemoryTables.GrantEntry(record: grant, expiresAt: end)
        }
    }
}
