// SPDX-License-Identifier: Apache-2.0

#if os(Linux)

/// Keys in encrypted files, with the secret in the keyring of the desktop: the user types no passphrase.
///
/// The keyring is that of the Secret Service (GNOME Keyring, KWallet, KeePassXC). It is used over D-Bus with libdbus,
/// which is loaded on demand. The 32 random bytes of the secret are made with the first key and deleted with the last
/// one. The files alone reveal no key. Every program of the same user can read an unlocked keyring, as it can read a
/// browser's passwords. The store never prompts: a locked keyring is an error. If the secret is gone while there are
/// keys, that is ``KeyStoreError/Code/keyLost``, and no new secret is made. Any number of tasks and processes may use
/// one directory. New keys are for ES256, or another algorithm for software keys. The keyring is read only to open or
/// make a key; deleting the last key deletes the secret too, if the keyring is unlocked.
///
/// Opening or making a key throws ``KeyStoreError`` – ``KeyStoreError/Code/keyLost``,
/// ``KeyStoreError/Code/deviceLocked``, ``KeyStoreError/Code/deviceUnavailable``, ``KeyStoreError/Code/deviceFailed``,
/// ``KeyStoreError/Code/malformedKeyFile``, ``KeyStoreError/Code/insecurePermissions``,
/// ``KeyStoreError/Code/storageFailed``, ``KeyStoreError/Code/unsupportedAlgorithm``.
public struct SecretServiceKeyStore: FileBackedKeyStore {
    let files: KeyFiles<KeyringCodec<SecretServiceItem>>

    /// Selects a directory and the secret in the keyring; reads nothing yet.
    ///
    /// - Parameters:
    ///   - directory: A path; its last component is created with mode 0700 for the first key. One directory for each
    ///     name.
    ///   - name: The name that identifies the secret, and is shown in the keyring: `com.example.app`, 1 to 256 bytes.
    ///   - busAddress: The address of the message bus; by default that of the desktop.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/invalidSecret`` for a name that is empty, too long or has a
    ///   zero byte.
    public init(directory: String, name: String, busAddress: String? = nil) throws(KeyStoreError) {
        // libdbus ends a text at a zero byte, and ends the process if an address has one.
        let texts = [name, busAddress ?? "unix:path=/"]
        guard texts.allSatisfy({ (1...4096).contains($0.utf8.count) && !$0.utf8.contains(0) }), name.utf8.count <= 256
        else {
            throw KeyStoreError(.invalidSecret, "the name of a secret must be 1 to 256 octets without an octet 0")
        }
        files = KeyFiles(
            path: directory,
            codec: KeyringCodec(item: SecretServiceItem(address: busAddress, name: name)),
            timeout: .seconds(30)
        )
    }

    /// The known facts about the key of an alias.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The facts; `nil` if the alias has no key.
    /// - Throws: ``KeyStoreError``, as for opening the key.
    public func facts(about alias: KeyAlias) async throws(KeyStoreError) -> [KeyFact]? {
        guard let key = try await files.load(alias) else { return nil }
        return KeyFact.common(key) + [KeyFact("opened by", "a secret in the keyring of the desktop")]
    }
}
#endif
