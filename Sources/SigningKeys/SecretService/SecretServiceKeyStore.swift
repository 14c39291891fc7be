// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import JOSE

/// Keys in encrypted files, with the secret in the keyring of the desktop: the user types no passphrase.
///
/// The keyring is that of the Secret Service (GNOME Keyring, KWallet, KeePassXC). It is used over D-Bus with libdbus,
/// which is loaded on demand. The 32 random bytes of the secret are made with the first key and deleted with the last
/// one. The files alone reveal no key. Every program of the same user can read an unlocked keyring, as it can read a
/// browser's passwords. The store never prompts: a locked keyring is an error. If the secret is gone while there are
/// keys, that is ``KeyStoreError/Code/keyLost``, and no new secret is made. Any number of tasks and processes may use
/// one directory.
public struct SecretServiceKeyStore: KeyStore {
    private let files: KeyFiles<SecretServiceCodec>

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
            codec: SecretServiceCodec(item: SecretServiceItem(address: busAddress, name: name)),
            timeout: .seconds(30)
        )
    }

    /// Opens the key of an alias, or makes one, in one atomic step, and reports which.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: ES256, or another algorithm for software keys.
    ///   - report: Called with ``KeyEvent/Kind/made`` if this call made the key.
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

    /// Opens the key of an alias.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The key; `nil` if the alias has none; the keyring is then not read.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``.
    public func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        try await files.load(alias)
    }

    /// The aliases that have a key file.
    ///
    /// - Returns: The aliases in ascending order; does not read the keyring.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await files.aliases()
    }

    /// Deletes the key file of an alias, if there is one, and with the last one the secret in the keyring, if it is
    /// unlocked.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await files.delete(alias)
    }

    /// The known facts about the key of an alias.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The facts; `nil` if the alias has no key.
    /// - Throws: ``KeyStoreError``, as ``load(_:)``.
    public func facts(about alias: KeyAlias) async throws(KeyStoreError) -> [KeyFact]? {
        guard let key = try await files.load(alias) else { return nil }
        return KeyFact.common(key) + [KeyFact("opened by", "a secret in the keyring of the desktop")]
    }
}
#endif
