// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
import JOSE
import OAuthCrypto

/// Key files encrypted with a credential in a keyring, which is made with the first of them.
struct KeyringCodec<Item: KeyringItem>: SoftwareKeyFileCodec {
    let item: Item

    func decode(_ bytes: [UInt8], alias: KeyAlias) throws(KeyStoreError) -> SoftwareSigningKey {
        // A damaged file is reported as damaged whatever the keyring contains.
        _ = try EncryptedKeyFile(parsing: bytes, alias: alias)
        guard let credential = try item.credential() else { throw Self.lost }
        return try opening { () throws(KeyStoreError) in try Self.codec(credential).decode(bytes, alias: alias) }
    }

    /// Called under the directory lock, so that two processes never make two credentials.
    func encode(
        _ key: SoftwareSigningKey,
        alias: KeyAlias,
        others: [(alias: KeyAlias, bytes: [UInt8])]
    ) throws(KeyStoreError) -> (bytes: [UInt8], key: SoftwareSigningKey) {
        let credential: KeyFileSecret
        if let known = try item.credential() {
            credential = known
        } else {
            // With a new credential, the existing keys would permanently seem to have a wrong passphrase.
            guard others.isEmpty else { throw Self.lost }
            credential = try item.makeCredential()
        }
        return try opening { () throws(KeyStoreError) in
            try Self.codec(credential).encode(key, alias: alias, others: others)
        }
    }

    /// Deletes the credential; if the keyring is unavailable, the credential stays in it.
    ///
    /// It then decrypts no file, and the next key of this store is encrypted with it.
    func forgetSecret() {
        try? item.delete()
    }

    /// A user cannot mistype this: a credential that does not decrypt a file has replaced the one that did.
    private func opening<Value>(_ body: () throws(KeyStoreError) -> Value) throws(KeyStoreError) -> Value {
        do throws(KeyStoreError) {
            return try body()
        } catch {
            throw error.code == .wrongPassphrase ? Self.lost : error
        }
    }

    private static func codec(_ credential: KeyFileSecret) -> EncryptedKeyFileCodec {
        EncryptedKeyFileCodec(wrappingKeys: WrappingKeyCache(secret: credential, parameters: .passphrase))
    }

    private static var lost: KeyStoreError {
        KeyStoreError(.keyLost, "the keyring no longer has the secret that opens the keys: sign in again")
    }
}
#endif
