// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
public import OAuthSystem
public import ServerStorage
import SigningKeys

extension PostgreSQLAuthorizationStorage {
    /// Every key; see ``/ServerStorage/SigningKeyStore/signingKeys()``.
    ///
    /// - Returns: The keys, in the order in which they are used.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func signingKeys() async throws(StorageError) -> [StoredSigningKey] {
        try await pool.read { connection throws(StorageError) in try connection.signingKeys() }
    }

    /// Stores a key after the last one of its algorithm; see ``/ServerStorage/SigningKeyStore/add(_:after:)``.
    ///
    /// - Parameters:
    ///   - key: The new key.
    ///   - last: The last key of that algorithm; `nil` for none.
    /// - Returns: `false`, without storing the key, if another key is the last.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func add(_ key: StoredSigningKey, after last: String?) async throws(StorageError) -> Bool {
        try await pool.write { connection throws(StorageError) in
            try connection.lock("signing keys")
            if let stored = try connection.signingKey(key.keyID) { return stored == key }
            let found = try connection.row(
                """
                SELECT key_id FROM signing_keys WHERE algorithm = $1 AND revoked_at IS NULL
                ORDER BY active_from DESC, key_id DESC LIMIT 1
                """,
                [.text(key.algorithm.rawValue)]
            ) { row throws(StorageError) in try row.text(0) }
            guard found.map({ Array($0.utf8) }) == last.map({ Array($0.utf8) }) else { return false }
            return try connection.insert(key)
        }
    }

    /// Activates a key early; see ``/ServerStorage/SigningKeyStore/activateSigningKey(_:at:)``.
    ///
    /// - Parameters:
    ///   - keyID: The key.
    ///   - time: From when it signs; a key that is already active at that time does not change.
    /// - Returns: `false` if there is no such key, or it was revoked.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func activateSigningKey(_ keyID: String, at time: Timestamp) async throws(StorageError) -> Bool {
        try await pool.write { connection throws(StorageError) in
            try connection.lock("signing keys")
            return try connection.run(
                "UPDATE signing_keys SET active_from = LEAST(active_from, $1) WHERE key_id = $2 AND revoked_at IS NULL",
                [.time(time), .text(keyID)]
            ) == 1
        }
    }

    /// Revokes every key of an algorithm.
    ///
    /// See ``/ServerStorage/SigningKeyStore/revokeSigningKeys(replacingWith:at:)``.
    ///
    /// - Parameters:
    ///   - key: The new key.
    ///   - now: The time.
    /// - Throws: ``/ServerStorage/StorageError``; also if another key with its identifier is stored.
    public func revokeSigningKeys(
        replacingWith key: StoredSigningKey,
        at now: Timestamp
    ) async throws(StorageError) {
        try await pool.write { connection throws(StorageError) in
            try connection.lock("signing keys")
            guard try connection.signingKey(key.keyID) != key else { return }
            try connection.run(
                "UPDATE signing_keys SET revoked_at = $1, sealed_key = ''::bytea WHERE algorithm = $2 AND revoked_at IS NULL",
                [.time(now), .text(key.algorithm.rawValue)]
            )
            guard try connection.insert(key) else {
                throw .isStoredOtherwise("the key")
            }
        }
    }

    /// Records a longer token lifetime.
    ///
    /// See ``/ServerStorage/SigningKeyStore/raiseTokenLifetime(ofSigningKeys:)``.
    ///
    /// - Parameter lifetime: The lifetime of tokens from now on.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func raiseTokenLifetime(ofSigningKeys lifetime: Duration) async throws(StorageError) {
        try await pool.write { connection throws(StorageError) in
            try connection.lock("signing keys")
            _ = try connection.run(
                "UPDATE signing_keys SET token_lifetime = $1 WHERE token_lifetime < $1",
                [.duration(lifetime)]
            )
        }
    }

    /// Stores rewrapped keys; see ``/ServerStorage/SigningKeyStore/rewrapSigningKeys(_:)``.
    ///
    /// - Parameter keys: The stored keys and their replacements.
    /// - Returns: `false`, without storing anything, unless exactly these keys are stored.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func rewrapSigningKeys(_ keys: [RewrappedKey]) async throws(StorageError) -> Bool {
        try await pool.write { connection throws(StorageError) in
            try connection.lock("signing keys")
            // Compares everything before the first change: a step that returns a result is not rolled back.
            let present = try connection.rows(
                "SELECT key_id, sealed_key FROM signing_keys WHERE sealed_key <> ''::bytea"
            ) {
                row throws(StorageError) in (id: Array(try row.text(0).utf8), sealed: WrappedKey(try row.blob(1)))
            }
            guard present.count == Set(keys.map { Array($0.keyID.utf8) }).count else { return false }
            let stored = keys.map { key in present.first { $0.id == Array(key.keyID.utf8) }?.sealed }
            if stored == keys.map(\.new) { return true }
            guard stored == keys.map(\.old) else { return false }
            for key in keys {
                try connection.run(
                    "UPDATE signing_keys SET sealed_key = $1 WHERE key_id = $2",
                    [.blob(key.new.bytes), .text(key.keyID)]
                )
            }
            return true
        }
    }

    /// Deletes keys; see ``/ServerStorage/SigningKeyStore/deleteSigningKeys(_:)``.
    ///
    /// - Parameter keyIDs: Their identifiers.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func deleteSigningKeys(_ keyIDs: [String]) async throws(StorageError) {
        try await pool.write { connection throws(StorageError) in
            try connection.lock("signing keys")
            for keyID in keyIDs { try connection.run("DELETE FROM signing_keys WHERE key_id = $1", [.text(keyID)]) }
        }
    }
}

extension PostgreSQLConnection {
    fileprivate func signingKeys() throws(StorageError) -> [StoredSigningKey] {
        try rows(
            """
            SELECT key_id, algorithm, public_key, sealed_key, published_at, active_from, token_lifetime, revoked_at
            FROM signing_keys ORDER BY active_from, key_id
            """,
            read: StoredSigningKey.init(row:)
        )
    }

    fileprivate func signingKey(_ keyID: String) throws(StorageError) -> StoredSigningKey? {
        try signingKeys().first { $0.keyID.isIdentical(to: keyID) }
    }

    /// Stores a key.
    ///
    /// - Returns: `false` if it is already stored.
    fileprivate func insert(_ key: StoredSigningKey) throws(StorageError) -> Bool {
        try run(
            """
            INSERT INTO signing_keys (key_id, algorithm, public_key, sealed_key, published_at, active_from,
                token_lifetime, revoked_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING
            """,
            key.storedValues
        ) == 1
    }
}
#endif
