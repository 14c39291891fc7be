// SPDX-License-Identifier: Apache-2.0

public import SigningKeys

/// A key that signs tokens, encrypted in one way and in another.
public struct ResealedKey: Sendable, Hashable {
    /// The identifier of the key.
    public var keyID: String
    /// How it is stored.
    public var old: SealedKey
    /// How it is to be stored.
    public var new: SealedKey

    /// Names a key.
    ///
    /// - Parameters:
    ///   - keyID: The identifier of the key.
    ///   - old: How it is stored.
    ///   - new: How it is to be stored.
    public init(keyID: String, old: SealedKey, new: SealedKey) {
        self.keyID = keyID
        self.old = old
        self.new = new
    }
}
