// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import JOSE
import OAuthCrypto

/// Seals keys in the format of key files, for those who keep them elsewhere.
///
/// What ``EncryptedFileKeyStore`` and ``UnencryptedFileKeyStore`` write into files, this returns.
public struct KeyFileSealer: KeySealer {
    private let codec: any SoftwareKeyFileCodec
    /// How hard the private half is to copy from what was sealed.
    public let protection: KeyProtection

    /// Encrypts with AES-256-GCM, under a key derived from a secret; each key has a salt of its own.
    ///
    /// - Parameter secret: A credential of 32 octets. With a passphrase each key takes a quarter of a second.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/invalidSecret``.
    public init(encryptingWith secret: KeyFileSecret) throws(KeyStoreError) {
        try secret.validate()
        codec = SealedKeyFileCodec(wrappingKeys: WrappingKeyCache(secret: secret, parameters: .passphrase))
        protection = .encryptedFile
    }

    private init(unencrypted codec: UnencryptedKeyFileCodec) {
        self.codec = codec
        protection = .unencryptedFile
    }

    /// Hides nothing: whoever gets hold of the bytes has the key.
    ///
    /// - Returns: The sealer.
    public static func leavingKeysUnencrypted() -> KeyFileSealer {
        KeyFileSealer(unencrypted: UnencryptedKeyFileCodec())
    }

    /// Seals a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - alias: Its name, without which it does not open.
    /// - Returns: The sealed key: a JSON object, at most 16 KiB.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/storageFailed``.
    public func seal(_ key: SoftwareSigningKey, as alias: KeyAlias) throws(KeyStoreError) -> SealedKey {
        SealedKey(try codec.encode(key, alias: alias, others: []).bytes)
    }

    /// Opens a key.
    ///
    /// - Parameters:
    ///   - sealed: What ``seal(_:as:)`` returned.
    ///   - alias: The name of the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/wrongPassphrase``, ``KeyStoreError/Code/malformedKeyFile``,
    ///   ``KeyStoreError/Code/storageFailed``.
    public func open(_ sealed: SealedKey, as alias: KeyAlias) throws(KeyStoreError) -> SoftwareSigningKey {
        try codec.decode(sealed.bytes, alias: alias)
    }
}
#endif
