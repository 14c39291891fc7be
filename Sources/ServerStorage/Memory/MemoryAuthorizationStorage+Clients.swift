// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// Replaces what is registered of a client; see ``ClientStore/replace(_:by:)``.
    ///
    /// - Parameters:
    ///   - client: The client as it was read, with the changes.
    ///   - attempt: The change.
    /// - Returns: `false`, and nothing is changed, if there is no such client, or it was changed since it was read.
    public func replace(_ client: RegisteredClient, by attempt: WriteAttempt) -> Bool {
        tables.withLock { tables in
            let key = MemoryTables.Key(client.clientID)
            guard let stored = tables.clients[key] else { return false }
            guard stored.changedBy != attempt else { return true }
            guard stored.changedBy == client.changedBy else { return false }
            var changed = client
            changed.secretHashes = stored.secretHashes
            changed.createdAt = stored.createdAt
            changed.registrationID = stored.registrationID
            changed.ownGrantRevocations = stored.ownGrantRevocations
            changed.changedBy = attempt
            tables.clients[key] = changed
            return true
        }
    }

    /// Whether scripts of a web origin may call the server; see ``ClientStore/isAllowed(webOrigin:)``.
    ///
    /// - Parameter origin: The origin.
    /// - Returns: Whether it is one of some client.
    public func isAllowed(webOrigin origin: String) -> Bool {
        tables.withLock { tables in
            tables.clients.values.contains { $0.allowedWebOrigins.contains { $0.isIdentical(to: origin) } }
        }
    }

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
            tables.endFirstPartySessions { $0.request.clientID.isIdentical(to: clientID) }
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
                guard stored.record == grant else { throw StorageError.isStoredOtherwise("the grant") }
                return
            }
            tables.grants[key] = MemoryTables.GrantEntry(record: grant, expiresAt: end)
        }
    }
}
