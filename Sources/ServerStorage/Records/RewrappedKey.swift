// SPDX-License-Identifier: Apache-2.0

public import SigningKeys

/// A token signing key with its old and its new encryption.
public struct RewrappedKey: Sendable, Hashable {
    /// The identifier of the key.
    public var keyID: String
    /// The stored key.
    public var old: WrappedKey
    /// The key to store.
    public var new: WrappedKey

    /// Makes a replacement.
    ///
    /// - Parameters:
    ///   - keyID: The identifier of the key.
    ///   - old: The stored key.
    ///   - new: The key to store.
    public init(keyID: String, old: WrappedKey, new: WrappedKey) {
        self.keyID = keyID
        self.old = old
        self.new = new
    }
}
