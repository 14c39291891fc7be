// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import SigningKeys

/// A key that a ``SigningKeyProvider`` generated.
public struct ProvidedSigningKey: Sendable {
    /// The key.
    public let key: any SigningKey
    /// The value to store: the encrypted private key, or its location.
    public let sealed: WrappedKey

    /// Combines a key with its stored value.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - sealed: The value to store.
    public init(key: any SigningKey, sealed: WrappedKey) {
        (self.key, self.sealed) = (key, sealed)
    }
}
