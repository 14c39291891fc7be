// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import SigningKeys

/// Generates and holds the keys that sign tokens; a ``/ServerStorage/SigningKeyStore`` stores how to find them.
public protocol SigningKeyProvider: Sendable {
    /// Generates a new key and tests it.
    ///
    /// - Parameter algorithm: The algorithm of the key.
    /// - Returns: The key, and the value to store for it.
    /// - Throws: ``/SigningKeys/KeyStoreError``.
    func makeKey(_ algorithm: SignatureAlgorithm) async throws(KeyStoreError) -> ProvidedSigningKey

    /// Opens a key.
    ///
    /// - Parameters:
    ///   - sealed: The stored value of the key.
    ///   - keyID: Its thumbprint; the caller compares it with that of the key.
    /// - Returns: The key.
    /// - Throws: ``/SigningKeys/KeyStoreError`` – ``/SigningKeys/KeyStoreError/Code/keyLost`` if the location is
    ///   available but has no such key, ``/SigningKeys/KeyStoreError/Code/deviceUnavailable`` if the location is not
    ///   available.
    func open(_ sealed: WrappedKey, keyID: String) async throws(KeyStoreError) -> any SigningKey

    /// Checks that a key that was opened earlier still exists.
    ///
    /// - Parameters:
    ///   - sealed: The stored value of the key.
    ///   - keyID: Its thumbprint.
    /// - Throws: ``/SigningKeys/KeyStoreError``, as ``open(_:keyID:)``.
    func check(_ sealed: WrappedKey, keyID: String) async throws(KeyStoreError)

    /// Deletes the key from its location, if it is there. The stored value remains.
    ///
    /// - Parameter sealed: The stored value of the key.
    /// - Throws: ``/SigningKeys/KeyStoreError``.
    func delete(_ sealed: WrappedKey) async throws(KeyStoreError)
}
