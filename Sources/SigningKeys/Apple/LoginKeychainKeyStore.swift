// SPDX-License-Identifier: Apache-2.0

#if canImport(Security) && (os(macOS) || os(Linux))

/// Keys in encrypted files, with the secret in the login keychain of macOS: for programs that are not signed, such as command
/// line tools.
///
/// Such programs have no data-protection keychain, which ``KeychainKeyStore`` needs
/// (``KeyStoreError/Code/missingEntitlement``). A ``KeyManager`` with both uses the better one that there is:
///
/// <!-- not compiled: for Apple platforms -->
/// ```swift
/// let keys = KeyManager(
///     hardware: [KeyLocation("keychain", KeychainKeyStore(service: "com.example.my-tool"))],
///     software: KeyLocation(
///         "login keychain",
///         try LoginKeychainKeyStore(directory: directory + "/keys", name: "com.example.my-tool")
///     ),
///     placements: FileKeyLocationStore(directory: directory + "/places")
/// )
/// ```
///
/// The 32 random bytes of the secret are made with the first key and deleted with the last one. The files alone reveal no
/// key. The keychain gives the secret to the program that made it, and asks the user about every other one: that is also a
/// program which was built again. If the secret is gone while there are keys, that is ``KeyStoreError/Code/keyLost``, and no new
/// secret is made. Any number of tasks and processes may use one directory. New keys are for ES256, or another algorithm for
/// software keys.
///
/// Opening or making a key throws ``KeyStoreError`` – ``KeyStoreError/Code/keyLost``, ``KeyStoreError/Code/deviceLocked``,
/// ``KeyStoreError/Code/userCanceled``, ``KeyStoreError/Code/malformedKeyFile``, ``KeyStoreError/Code/insecurePermissions``,
/// ``KeyStoreError/Code/storageFailed``, ``KeyStoreError/Code/unsupportedAlgorithm``.
public struct LoginKeychainKeyStore: FileBackedKeyStore {
    let files: KeyFiles<KeyringCodec<LoginKeychainItem>>

    /// Selects a directory and the secret in the keychain; reads nothing yet.
    ///
    /// - Parameters:
    ///   - directory: A path; its last component is created with mode 0700 for the first key. One directory for each
    ///     name.
    ///   - name: The name that identifies the secret, and is shown in Keychain Access: `com.example.my-tool`, 1 to 256 bytes.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/invalidSecret`` for a name that is empty or too long.
    public init(directory: String, name: String) throws(KeyStoreError) {
        guard (1...256).contains(name.utf8.count) else {
            throw KeyStoreError(.invalidSecret, "the name of a secret must be 1 to 256 octets")
        }
        files = KeyFiles(
            path: directory,
            codec: KeyringCodec(item: LoginKeychainItem(name: name)),
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
        return KeyFact.common(key) + [KeyFact("opened by", "a secret in the login keychain")]
    }
}
#endif
