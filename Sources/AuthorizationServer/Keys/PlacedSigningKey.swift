// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import SigningKeys

/// A key that a ``SigningKeyPlace`` has made.
public struct PlacedSigningKey: Sendable {
    /// The key.
    public let key: any SigningKey
    /// What is stored of it: the private half itself, encrypted, or where it is.
    public let sealed: SealedKey

    /// Puts both together.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - sealed: What is stored of it.
    public init(key: any SigningKey, sealed: SealedKey) {
        (self.key, self.sealed) = (key, sealed)
    }
}
