// SPDX-License-Identifier: Apache-2.0

public import SigningKeys

/// A token signing key with its old and its new encryption.
public struct ResealedKey: Sendable, Hashable {
    /// The identifier of the key.
    public var keyID: String
    /// The stored key.
    public var old: SealedKey
    /// The key to store.
    public var new: SealedKey

    /// Makes a replacement.
    ///
    /// - Parameters:
    ///   - keyID: The identifier of the key.
    ///   - old: The stored key.
    ///   - new: The key to store.
    public init(keyID: String, old: SealedKey, new: SealedKey) {
        self.keyID = keyID
        self.old = old
        self.new = new
    }
}
