// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
public import JOSE
import OAuthCrypto

/// Wraps keys in the format of key files, for storage elsewhere.
///
/// It returns the bytes that ``EncryptedFileKeyStore`` and ``UnencryptedFileKeyStore`` write into files.
public struct KeyFileWrapper: KeyWrapper {
    private let codec: any SoftwareKeyFileCodec
    /// How the private key is protected in the wrapped form.
    public let protection: KeyProtection

    /// Encrypts with AES-256-GCM, under a key derived from a secret; each key has its own salt.
    ///
    /// - Parameter secret: A credential of 32 bytes. With a passphrase each key takes a quarter of a second.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/invalidSecret``.
    public init(encryptingWith secret: KeyFileSecret) throws(KeyStoreError) {
        try secret.validate()
        codec = EncryptedKeyFileCodec(wrappingKeys: WrappingKeyCache(secret: secret, parameters: .passphrase))
        protection = .encryptedFile
    }

    private init(unencrypted codec: UnencryptedKeyFileCodec) {
        self.codec = codec
        protection = .unencryptedFile
    }

    /// Does not encrypt: anyone who obtains the bytes has the key.
    ///
    /// - Returns: The key wrapper.
    public static func leavingKeysUnencrypted() -> KeyFileWrapper {
        KeyFileWrapper(unencrypted: UnencryptedKeyFileCodec())
    }

    /// Wraps a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - alias: Its alias, which is needed to unwrap it.
    /// - Returns: The wrapped key: a JSON object, at most 16 KiB.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/storageFailed``.
    public func seal(_ key: SoftwareSigningKey, as alias: KeyAlias) throws(KeyStoreError) -> WrappedKey {
        WrappedKey(try codec.encode(key, alias: alias, others: []).bytes)
    }

    /// Unwraps a key.
    ///
    /// - Parameters:
    ///   - sealed: The result of ``seal(_:as:)``.
    ///   - alias: The name of the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/wrongPassphrase``, ``KeyStoreError/Code/malformedKeyFile``,
    ///   ``KeyStoreError/Code/storageFailed``.
    public func open(_ sealed: WrappedKey, as alias: KeyAlias) throws(KeyStoreError) -> SoftwareSigningKey {
        try codec.decode(sealed.bytes, alias: alias)
    }
}
#endif
