// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// Makes of private keys what can be kept anywhere, in a database for instance, and opens it again.
public protocol KeySealer: Sendable {
    /// How hard the private half is to copy from what ``seal(_:as:)`` returns.
    var protection: KeyProtection { get }

    /// Seals a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - alias: Its name, without which it does not open: one key cannot be put in the place of another.
    /// - Returns: The sealed key, at most 16 KiB.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/storageFailed``.
    func seal(_ key: SoftwareSigningKey, as alias: KeyAlias) throws(KeyStoreError) -> SealedKey

    /// Opens a key.
    ///
    /// - Parameters:
    ///   - sealed: What ``seal(_:as:)`` returned.
    ///   - alias: The name of the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/wrongPassphrase``, ``KeyStoreError/Code/malformedKeyFile``,
    ///   ``KeyStoreError/Code/storageFailed``.
    func open(_ sealed: SealedKey, as alias: KeyAlias) throws(KeyStoreError) -> SoftwareSigningKey
}
