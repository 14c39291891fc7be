// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// Wraps private keys for storage anywhere, for example in a database, and unwraps them.
public protocol KeyWrapper: Sendable {
    /// How the private key is protected in the result of ``seal(_:as:)``.
    var protection: KeyProtection { get }

    /// Wraps a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - alias: Its alias, which is needed to unwrap it: one key cannot be exchanged for another.
    /// - Returns: The wrapped key, at most 16 KiB.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/storageFailed``.
    func seal(_ key: SoftwareSigningKey, as alias: KeyAlias) throws(KeyStoreError) -> WrappedKey

    /// Unwraps a key.
    ///
    /// - Parameters:
    ///   - sealed: The result of ``seal(_:as:)``.
    ///   - alias: The name of the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/wrongPassphrase``, ``KeyStoreError/Code/malformedKeyFile``,
    ///   ``KeyStoreError/Code/storageFailed``.
    func open(_ sealed: WrappedKey, as alias: KeyAlias) throws(KeyStoreError) -> SoftwareSigningKey
}
