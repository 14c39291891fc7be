// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)

/// Keys in unencrypted files, one per key, in a directory that only its owner may read.
///
/// Anyone who obtains a file, for example from a backup, has the key: use ``EncryptedFileKeyStore`` if a passphrase or
/// a credential is available. Any number of tasks and processes may use a directory at once. New keys are for ES256.
///
/// Opening or making a key throws ``KeyStoreError`` – ``KeyStoreError/Code/malformedKeyFile``,
/// ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``,
/// ``KeyStoreError/Code/unsupportedAlgorithm``.
public struct UnencryptedFileKeyStore: FileBackedKeyStore {
    let files: KeyFiles<UnencryptedKeyFileCodec>

    /// Makes a store for a directory; reads nothing yet.
    ///
    /// - Parameter directory: A path; its last component is created with mode 0700 for the first key.
    public init(directory: String) {
        files = KeyFiles(path: directory, codec: UnencryptedKeyFileCodec(), timeout: .seconds(30))
    }
}
#endif
