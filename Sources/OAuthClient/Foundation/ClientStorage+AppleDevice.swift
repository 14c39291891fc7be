// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation
import OAuthSystem
import SigningKeys

extension ClientStorage {
    /// Everything where this device keeps it best: the key in the Secure Enclave, tokens in the Keychain; on macOS, tokens in files
    /// that only the user can read, which are of no use without the key.
    ///
    /// Files are below Application Support, in a directory of this name that is excluded from backups. A program without
    /// entitlements, such as a command line tool on macOS, has no Secure Enclave and no Keychain of this kind: its key is in
    /// encrypted files, with the secret in the login keychain (`LoginKeychainKeyStore`). A key stays where it was made.
    ///
    /// - Parameters:
    ///   - name: The name of the app: by default its bundle identifier.
    ///   - accessGroup: The Keychain access group that the app and its extensions share, with its prefix; `nil` for the first one
    ///     of the app. An app with extensions also passes `container`.
    ///   - container: The path of the container that they share (`FileManager.containerURL(forSecurityApplicationGroupIdentifier:)`);
    ///     `nil` for Application Support.
    /// - Returns: The storage.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for a name that a file cannot have, and without a name for a program
    ///   that has no bundle; ``OAuthClientError/Code/storageFailed`` when the directory cannot be made.
    public static func device(
        _ name: String? = nil,
        sharedIn accessGroup: String? = nil,
        container: String? = nil
    ) throws(OAuthClientError) -> ClientStorage {
        let name = name ?? Bundle.main.bundleIdentifier ?? ""
        try requireName(name)
        let path = try makeDirectory(name, in: container)
        let keychain = KeychainKeyStore(service: name + ".keys", accessGroup: accessGroup)
        #if os(macOS)
        return directory(path, keysIn: try keyManager(keychain, name, path))
        #else
        return ClientStorage(
            keyStore: keychain,
            tokenStore: KeychainTokenStore(directory: path + "/tokens", accessGroup: accessGroup),
            transactionStore: FileTransactionStore(directory: path + "/sign-ins"),
            accountStore: FileAccountStore(path: path + "/accounts.json")
        )
        #endif
    }

    #if os(macOS)
    /// In the Keychain if the program is signed for it, else in files: the manager notes where each key was made.
    private static func keyManager(
        _ keychain: KeychainKeyStore,
        _ name: String,
        _ path: String
    ) throws(OAuthClientError) -> KeyManager {
        do {
            return KeyManager(
                hardware: [KeyLocation("keychain", keychain)],
                software: KeyLocation(
                    "login keychain",
                    try LoginKeychainKeyStore(directory: path + "/keys", name: name)
                ),
                placements: FileKeyLocationStore(directory: path + "/key-places")
            )
        } catch {
            throw OAuthClientError(error, otherwise: .keyUnavailable, "the stores of keys cannot be used")
        }
    }
    #endif

    private static func makeDirectory(_ name: String, in container: String?) throws(OAuthClientError) -> String {
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first?.path
        guard let parent = container ?? support else {
            throw OAuthClientError(.storageFailed, "the system names no directory for files of apps")
        }
        let path = parent + "/" + name
        do {
            try PrivateDirectory.makeWithParents(at: path)
        } catch {
            throw OAuthClientError(.storageFailed, error.reason, underlying: error)
        }
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        var url = URL(filePath: path)
        // A restored copy would be of no use: the keys stay on the device.
        try? url.setResourceValues(values)
        return path
    }
}
#endif
