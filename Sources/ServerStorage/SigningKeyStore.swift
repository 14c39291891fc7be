// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A store for the token signing keys, shared by all processes of a server.
public protocol SigningKeyStore: Sendable {
    /// Every key, including revoked ones.
    ///
    /// - Returns: The keys, in the order in which they are used.
    /// - Throws: An error of the driver.
    func signingKeys() async throws -> [StoredSigningKey]

    /// Stores a key after the last one of its algorithm, in one step.
    ///
    /// If several processes make the next key at the same time, one of them wins. Again: `true` if the same key is stored.
    ///
    /// - Parameters:
    ///   - key: The new key.
    ///   - last: The last key of that algorithm that was not revoked; `nil` for none.
    /// - Returns: `false`, without storing the key, if another key is the last, or another key has its identifier.
    /// - Throws: An error of the driver.
    func add(_ key: StoredSigningKey, after last: String?) async throws -> Bool

    /// Activates a key earlier than planned.
    ///
    /// - Parameters:
    ///   - keyID: The key.
    ///   - time: From when it signs; a key that is already active at that time does not change.
    /// - Returns: `false` if there is no such key, or it was revoked.
    /// - Throws: An error of the driver.
    func activateSigningKey(_ keyID: String, at time: Timestamp) async throws -> Bool

    /// Revokes every key of an algorithm, deletes their private keys, and stores a new key, in one step.
    ///
    /// Again: nothing happens if the new key is stored.
    ///
    /// - Parameters:
    ///   - key: The new key.
    ///   - now: The time.
    /// - Throws: An error of the driver.
    func revokeSigningKeys(replacingWith key: StoredSigningKey, at now: Timestamp) async throws

    /// Records that keys sign tokens with a longer lifetime; a shorter one changes nothing.
    ///
    /// - Parameter lifetime: The lifetime of tokens from now on.
    /// - Throws: An error of the driver.
    func raiseTokenLifetime(ofSigningKeys lifetime: Duration) async throws

    /// Stores rewrapped keys, all in one step.
    ///
    /// Again: `true` if all keys are stored as the new ones.
    ///
    /// - Parameter keys: For each key with a private key, the stored key and its replacement.
    /// - Returns: `false`, without storing anything, unless exactly these keys are stored with the given encryption. A
    ///   key that was made in the meantime must not be left out, and a key that was revoked must not come back.
    /// - Throws: An error of the driver.
    func rewrapSigningKeys(_ keys: [RewrappedKey]) async throws -> Bool

    /// Deletes keys.
    ///
    /// - Parameter keyIDs: Their identifiers; unknown ones are ignored.
    /// - Throws: An error of the driver.
    func deleteSigningKeys(_ keyIDs: [String]) async throws
}
