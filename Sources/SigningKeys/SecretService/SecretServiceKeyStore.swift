// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import JOSE

/// Keys in encrypted files, which a secret in the keyring of the desktop opens: nobody types a passphrase.
///
/// The keyring is that of the Secret Service (GNOME Keyring, KWallet, KeePassXC), asked over D-Bus with libdbus, which is loaded
/// when it is needed. The 32 random bytes in it are made with the first key and deleted with the last one. Whoever has
/// only the files has no key; every program of the same user can ask an unlocked keyring, as it can for a browser's passwords.
/// Nobody is prompted: a locked keyring is an error, and a secret that is gone while there are keys is
/// ``KeyStoreError/Code/keyLost``, never a reason to make another one. Any number of tasks and processes may use one directory.
public struct SecretServiceKeyStore: KeyStore {
    private let files: KeyFiles<SecretServiceCodec>

    /// Names a directory and the secret in the keyring; nothing is read yet.
    ///
    /// - Parameters:
    ///   - directory: A path; the last component is made, with mode 0700, when the first key is. One directory for each name.
    ///   - name: What tells the secret from others, and is shown in the keyring: `com.example.app`, 1 to 256 octets.
    ///   - busAddress: The address of the message bus; that of the desktop unless given.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/invalidSecret`` for a name that is empty, too long or has an octet 0.
    public init(directory: String, name: String, busAddress: String? = nil) throws(KeyStoreError) {
        // The functions of libdbus end a text at an octet 0, and end the process at an address that has one.
        let texts = [name, busAddress ?? "unix:path=/"]
        guard texts.allSatisfy({ (1...4096).contains($0.utf8.count) && !$0.utf8.contains(0) }), name.utf8.count <= 256
        else {
            throw KeyStoreError(.invalidSecret, "the name of a secret must be 1 to 256 octets without an octet 0")
        }
        files = KeyFiles(
            path: directory,
            codec: SecretServiceCodec(item: SecretServiceItem(address: busAddress, name: name)),
            patience: .seconds(30)
        )
    }

    /// Opens the key of a name, or makes it, in one step, and says which.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: ES256, or another one of software keys.
    ///   - report: Told ``KeyEvent/Kind/made`` when this call made the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/keyLost``, ``KeyStoreError/Code/deviceLocked``,
    ///   ``KeyStoreError/Code/deviceUnavailable``, ``KeyStoreError/Code/deviceFailed``,
    ///   ``KeyStoreError/Code/malformedKeyFile``, ``KeyStoreError/Code/insecurePermissions``,
    ///   ``KeyStoreError/Code/storageFailed``, ``KeyStoreError/Code/unsupportedAlgorithm``.
    public func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        try await files.loadOrGenerate(alias, algorithm, reporting: report)
    }

    /// Opens the key of a name.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The key; `nil` when the name has none, for which the keyring is not asked.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``.
    public func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        try await files.load(alias)
    }

    /// The names that have a key file.
    ///
    /// - Returns: The names in ascending order; the keyring is not asked.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await files.aliases()
    }

    /// Removes the key file of a name, if there is one, and with the last one the secret in the keyring, if that is unlocked.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await files.delete(alias)
    }

    /// What is known about the key of a name.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The facts; `nil` when the name has no key.
    /// - Throws: ``KeyStoreError``, as ``load(_:)``.
    public func facts(about alias: KeyAlias) async throws(KeyStoreError) -> [KeyFact]? {
        guard let key = try await files.load(alias) else { return nil }
        return KeyFact.common(key) + [KeyFact("opened by", "a secret in the keyring of the desktop")]
    }
}
#endif
