// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import SigningKeys
import Synchronization

extension MemoryAuthorizationStorage {
    /// Every key; see ``SigningKeyStore/signingKeys()``.
    ///
    /// - Returns: The keys, in the order in which they are used.
    public func signingKeys() -> [StoredSigningKey] {
        tables.withLock { Array($0.signingKeys.values) }.sorted(by: StoredSigningKey.isEarlier)
    }

    /// Stores a key after the last one of its algorithm; see ``SigningKeyStore/add(_:after:)``.
    ///
    /// - Parameters:
    ///   - key: The new key.
    ///   - last: The last key of that algorithm; `nil` for none.
    /// - Returns: `false`, without storing the key, if another key is the last.
    public func add(_ key: StoredSigningKey, after last: String?) -> Bool {
        tables.withLock { tables in
            let found = tables.signingKeys.values
                .filter { $0.algorithm == key.algorithm && $0.revokedAt == nil }
                .max(by: StoredSigningKey.isEarlier)
            let id = MemoryTables.Key(key.keyID)
            if let stored = tables.signingKeys[id] { return stored == key }
            guard found.map({ MemoryTables.Key($0.keyID) }) == last.map(MemoryTables.Key.init) else { return false }
            tables.signingKeys[id] = key
            return true
        }
    }

    /// Activates a key early; see ``SigningKeyStore/activateSigningKey(_:at:)``.
    ///
    /// - Parameters:
    ///   - keyID: The key.
    ///   - time: From when it signs; a key that is already active at that time does not change.
    /// - Returns: `false` if there is no such key, or it was revoked.
    public func activateSigningKey(_ keyID: String, at time: Timestamp) -> Bool {
        tables.withLock { tables in
            let id = MemoryTables.Key(keyID)
            guard var key = tables.signingKeys[id], key.revokedAt == nil else { return false }
            key.activeFrom = min(key.activeFrom, time)
            tables.signingKeys[id] = key
            return true
        }
    }

    /// Revokes every key of an algorithm; see ``SigningKeyStore/revokeSigningKeys(replacingWith:at:)``.
    ///
    /// - Parameters:
    ///   - key: The new key.
    ///   - now: The time.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if another key with its identifier is stored.
    public func revokeSigningKeys(
        replacingWith key: StoredSigningKey,
        at now: Timestamp
    ) throws(StorageError) {
        try tables.withLock { tables throws(StorageError) in
            if let stored = tables.signingKeys[MemoryTables.Key(key.keyID)] {
                guard stored == key else { throw StorageError.isStoredOtherwise("the key") }
                return
            }
            for (id, var old) in tables.signingKeys where old.algorithm == key.algorithm && old.revokedAt == nil {
                old.revokedAt = now
                old.wrappedKey = .forgotten
                tables.signingKeys[id] = old
            }
            tables.signingKeys[MemoryTables.Key(key.keyID)] = key
        }
    }

    /// Records a longer token lifetime; see ``SigningKeyStore/raiseTokenLifetime(ofSigningKeys:)``.
    ///
    /// - Parameter lifetime: The lifetime of tokens from now on.
    public func raiseTokenLifetime(ofSigningKeys lifetime: Duration) {
        tables.withLock { tables in
            for (id, var key) in tables.signingKeys where key.tokenLifetime < lifetime {
                key.tokenLifetime = lifetime
                tables.signingKeys[id] = key
            }
        }
    }

    /// Stores rewrapped keys; see ``SigningKeyStore/rewrapSigningKeys(_:)``.
    ///
    /// - Parameter keys: The stored keys and their replacements.
    /// - Returns: `false`, without storing anything, unless exactly these keys are stored.
    public func rewrapSigningKeys(_ keys: [RewrappedKey]) -> Bool {
        tables.withLock { tables in
            let present = tables.signingKeys.values.filter { $0.wrappedKey != .forgotten }
            guard present.count == Set(keys.map { MemoryTables.Key($0.keyID) }).count else { return false }
            let stored = keys.map { tables.signingKeys[MemoryTables.Key($0.keyID)]?.wrappedKey }
            if stored == keys.map(\.new) { return true }
            guard stored == keys.map(\.old) else { return false }
            for key in keys { tables.signingKeys[MemoryTables.Key(key.keyID)]?.wrappedKey = key.new }
            return true
        }
    }

    /// Deletes keys; see ``SigningKeyStore/deleteSigningKeys(_:)``.
    ///
    /// - Parameter keyIDs: Their identifiers.
    public func deleteSigningKeys(_ keyIDs: [String]) {
        tables.withLock { tables in
            for keyID in keyIDs { tables.signingKeys[MemoryTables.Key(keyID)] = nil }
        }
    }
}
