// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Where the keys that sign tokens are kept, for all processes of a server.
public protocol SigningKeyStore: Sendable {
    /// Every key, those that were revoked too.
    ///
    /// - Returns: The keys, in the order in which they are used.
    /// - Throws: An error of the driver.
    func signingKeys() async throws -> [StoredSigningKey]

    /// Stores a key behind the one that is the last of its algorithm, in one step: of several processes that make the next
    /// key at once, one does.
    ///
    /// - Parameters:
    ///   - key: The new key.
    ///   - last: The key of that algorithm that is used last, of those that were not revoked; `nil` for none.
    /// - Returns: `false`, and nothing is stored, when another one is the last, or the key is stored already.
    /// - Throws: An error of the driver.
    func add(_ key: StoredSigningKey, after last: String?) async throws -> Bool

    /// Takes a key into use earlier than was planned.
    ///
    /// - Parameters:
    ///   - keyID: The key.
    ///   - time: From when it is used; one that is in use earlier stays so.
    /// - Returns: `false` when there is no such key, or it was revoked.
    /// - Throws: An error of the driver.
    func activateSigningKey(_ keyID: String, at time: Timestamp) async throws -> Bool

    /// Revokes every key of an algorithm, which forgets their private halves, and stores a new one, in one step.
    ///
    /// - Parameters:
    ///   - key: The new key.
    ///   - now: The time.
    /// - Throws: An error of the driver.
    func revokeSigningKeys(replacingWith key: StoredSigningKey, at now: Timestamp) async throws

    /// Notes that keys sign what is valid for longer than was thought; shorter changes nothing.
    ///
    /// - Parameter lifetime: How long tokens can be valid from now on.
    /// - Throws: An error of the driver.
    func raiseTokenLifetime(ofSigningKeys lifetime: Duration) async throws

    /// Stores keys sealed otherwise, all in one step.
    ///
    /// - Parameter keys: For each key that has a private half, what is stored and what is to be stored instead.
    /// - Returns: `false`, and nothing is stored, unless exactly these keys are stored, sealed as they say: a key that was made or
    ///   revoked meanwhile must be neither left behind nor brought back.
    /// - Throws: An error of the driver.
    func resealSigningKeys(_ keys: [ResealedKey]) async throws -> Bool

    /// Deletes keys.
    ///
    /// - Parameter keyIDs: Their identifiers; those that are not stored do not matter.
    /// - Throws: An error of the driver.
    func deleteSigningKeys(_ keyIDs: [String]) async throws
}
