// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import SigningKeys

/// Where the keys that sign tokens are made and live; a ``/ServerStorage/SigningKeyStore`` keeps what leads to them.
public protocol SigningKeyProvider: Sendable {
    /// Makes a key that nothing uses yet, and tries it.
    ///
    /// - Parameter algorithm: What it is to sign with.
    /// - Returns: The key, and what is stored of it.
    /// - Throws: ``/SigningKeys/KeyStoreError``.
    func makeKey(_ algorithm: SignatureAlgorithm) async throws(KeyStoreError) -> ProvidedSigningKey

    /// Opens a key.
    ///
    /// - Parameters:
    ///   - sealed: What is stored of it.
    ///   - keyID: Its thumbprint; the caller compares it with that of the key.
    /// - Returns: The key.
    /// - Throws: ``/SigningKeys/KeyStoreError`` – ``/SigningKeys/KeyStoreError/Code/keyLost`` when the place is there without the
    ///   key, ``/SigningKeys/KeyStoreError/Code/deviceUnavailable`` when it is not there.
    func open(_ sealed: WrappedKey, keyID: String) async throws(KeyStoreError) -> any SigningKey

    /// Looks whether a key that was opened earlier is still there.
    ///
    /// - Parameters:
    ///   - sealed: What is stored of it.
    ///   - keyID: Its thumbprint.
    /// - Throws: ``/SigningKeys/KeyStoreError``, as ``open(_:keyID:)``.
    func check(_ sealed: WrappedKey, keyID: String) async throws(KeyStoreError)

    /// Deletes what the place has of a key, if it has anything; what is stored stays.
    ///
    /// - Parameter sealed: What is stored of it.
    /// - Throws: ``/SigningKeys/KeyStoreError``.
    func delete(_ sealed: WrappedKey) async throws(KeyStoreError)
}
