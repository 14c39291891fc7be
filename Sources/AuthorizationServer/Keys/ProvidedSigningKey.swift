// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import SigningKeys

/// A key that a ``SigningKeyProvider`` has made.
public struct ProvidedSigningKey: Sendable {
    /// The key.
    public let key: any SigningKey
    /// What is stored of it: the private half itself, encrypted, or where it is.
    public let sealed: WrappedKey

    /// Puts both together.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - sealed: What is stored of it.
    public init(key: any SigningKey, sealed: WrappedKey) {
        (self.key, self.sealed) = (key, sealed)
    }
}
