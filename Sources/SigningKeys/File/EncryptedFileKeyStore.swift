// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
import OAuthCrypto

/// Keys in encrypted files, one per key, in a directory that only its owner may read.
///
/// Any number of tasks and processes may use a directory at once. A file is encrypted with AES-256-GCM under a key
/// derived from the secret. It is created atomically and never overwritten. All keys of a directory have the same
/// secret. With a passphrase, opening the first key takes about a quarter of a second. New keys are for ES256. The
/// secret is needed to open or make a key, not to list or delete keys.
///
/// Opening or making a key throws ``KeyStoreError`` – ``KeyStoreError/Code/wrongPassphrase`` (when making one, also if
/// the secret does not decrypt the other keys of the directory), ``KeyStoreError/Code/malformedKeyFile``,
/// ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``,
/// ``KeyStoreError/Code/unsupportedAlgorithm``. Listing or deleting keys throws only ``KeyStoreError/Code/insecurePermissions`` and
/// ``KeyStoreError/Code/storageFailed``.
public struct EncryptedFileKeyStore: FileBackedKeyStore {
    let files: KeyFiles<EncryptedKeyFileCodec>

    /// Makes a store for a directory; reads nothing yet.
    ///
    /// - Parameters:
    ///   - directory: A path; its last component is created with mode 0700 for the first key.
    ///   - secret: The secret that decrypts the keys: a passphrase or a credential.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/invalidSecret``.
    public init(directory: String, secret: KeyFileSecret) throws(KeyStoreError) {
        try self.init(
            directory: directory,
            secret: secret,
            scryptCost: ScryptParameters.passphrase.cost,
            timeout: .seconds(30)
        )
    }

    init(
        directory: String,
        secret: KeyFileSecret,
        scryptCost: Int,
        timeout: Duration
    ) throws(KeyStoreError) {
        try secret.validate()
        let parameters = ScryptParameters(cost: scryptCost, blockSize: 8, parallelism: 1)
        let wrappingKeys = WrappingKeyCache(secret: secret, parameters: parameters)
        files = KeyFiles(
            path: directory,
            codec: EncryptedKeyFileCodec(wrappingKeys: wrappingKeys),
            timeout: timeout
        )
    }
}
#endif
