// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
public import SigningKeys

/// Where a client keeps its key, its tokens, the sign-ins that wait for their response, and the list of accounts.
///
/// An initializer of ``OAuth2Client`` takes it in place of three stores.
public struct ClientStorage: Sendable {
    /// The store of the keys that tokens are bound to.
    public let keyStore: any KeyStore
    /// The store of the tokens.
    public let tokenStore: any TokenStore
    /// The store of sign-ins that wait for their response.
    public let transactionStore: any TransactionStore
    /// The store of the list of accounts, for ``AccountManager``; `nil` for a client with one account.
    public let accountStore: (any AccountStore)?

    /// Combines stores.
    ///
    /// - Parameters:
    ///   - keyStore: The store of the keys that tokens are bound to.
    ///   - tokenStore: The store of the tokens.
    ///   - transactionStore: The store of sign-ins that wait for their response.
    ///   - accountStore: The store of the list of accounts; `nil` for a client with one account.
    public init(
        keyStore: any KeyStore,
        tokenStore: any TokenStore,
        transactionStore: any TransactionStore,
        accountStore: (any AccountStore)? = nil
    ) {
        self.keyStore = keyStore
        self.tokenStore = tokenStore
        self.transactionStore = transactionStore
        self.accountStore = accountStore
    }

    /// Everything in memory, and gone with the process.
    public static var memory: ClientStorage {
        ClientStorage(
            keyStore: MemoryKeyStore(),
            tokenStore: MemoryTokenStore(),
            transactionStore: MemoryTransactionStore(),
            accountStore: MemoryAccountStore()
        )
    }

    /// Tokens and waiting sign-ins in a directory, keys in a store of their own: a TPM, a PKCS #11 token, the Keychain.
    ///
    /// - Parameters:
    ///   - path: A directory that only its user can read; it is made, with mode 0700, if it is missing and its parent exists.
    ///     `tokens`, `sign-ins` and `accounts.json` are made below it.
    ///   - keyStore: The store of the keys.
    /// - Returns: The storage.
    public static func directory(_ path: String, keysIn keyStore: any KeyStore) -> ClientStorage {
        // If that fails, the first store that needs it says why.
        try? PrivateDirectory.make(at: path)
        return ClientStorage(
            keyStore: keyStore,
            tokenStore: FileTokenStore(directory: path + "/tokens"),
            transactionStore: FileTransactionStore(directory: path + "/sign-ins"),
            accountStore: FileAccountStore(path: path + "/accounts.json")
        )
    }

    #if os(Linux) || os(macOS)
    /// Everything in a directory, the keys encrypted.
    ///
    /// - Parameters:
    ///   - path: A directory that only its user can read; it is made, with mode 0700, if it is missing and its parent exists.
    ///     `keys`, `tokens`, `sign-ins` and `accounts.json` are made below it.
    ///   - secret: The passphrase or credential that encrypts the keys.
    /// - Returns: The storage.
    /// - Throws: `KeyStoreError` – `invalidSecret`.
    public static func directory(
        _ path: String,
        keysEncryptedWith secret: KeyFileSecret
    ) throws(KeyStoreError) -> ClientStorage {
        directory(path, keysIn: try EncryptedFileKeyStore(directory: path + "/keys", secret: secret))
    }

    /// Everything in a directory, the keys unencrypted: a program that can read the files can use the tokens elsewhere.
    ///
    /// - Parameter path: A directory that only its user can read; it is made, with mode 0700, if it is missing and its parent
    ///   exists. `keys`, `tokens`, `sign-ins` and `accounts.json` are made below it.
    /// - Returns: The storage.
    public static func directoryWithUnencryptedKeys(_ path: String) -> ClientStorage {
        directory(path, keysIn: UnencryptedFileKeyStore(directory: path + "/keys"))
    }
    #endif
}
