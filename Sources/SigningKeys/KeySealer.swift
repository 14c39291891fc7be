// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// Turns private keys into bytes that can be kept anywhere, in a database for instance, and back.
public protocol KeySealer: Sendable {
    /// How hard the private half is to copy from what ``seal(_:as:)`` returns.
    var protection: KeyProtection { get }

    /// Makes the bytes of a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - alias: Its name, without which the bytes do not open: one key cannot be put in the place of another.
    /// - Returns: The bytes, at most 16 KiB.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/storageFailed``.
    func seal(_ key: SoftwareSigningKey, as alias: KeyAlias) throws(KeyStoreError) -> [UInt8]

    /// Opens the bytes of a key.
    ///
    /// - Parameters:
    ///   - bytes: What ``seal(_:as:)`` returned.
    ///   - alias: The name of the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/wrongPassphrase``, ``KeyStoreError/Code/malformedKeyFile``,
    ///   ``KeyStoreError/Code/storageFailed``.
    func open(_ bytes: [UInt8], as alias: KeyAlias) throws(KeyStoreError) -> SoftwareSigningKey
}
