// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthCrypto

/// Key files that a credential of the Secret Service opens, which is made with the first of them.
struct SecretServiceCodec: SoftwareKeyFileCodec {
    let item: SecretServiceItem

    func decode(_ bytes: [UInt8], alias: KeyAlias) throws(KeyStoreError) -> SoftwareSigningKey {
        // A file that is damaged is so whatever the keyring says.
        _ = try SealedKeyFile(parsing: bytes, alias: alias)
        guard let credential = try item.credential() else { throw Self.lost }
        return try opening { () throws(KeyStoreError) in try Self.codec(credential).decode(bytes, alias: alias) }
    }

    /// Called while nobody else makes a key in the directory, so that two processes never make two credentials.
    func encode(
        _ key: SoftwareSigningKey,
        alias: KeyAlias,
        others: [(alias: KeyAlias, bytes: [UInt8])]
    ) throws(KeyStoreError) -> (bytes: [UInt8], key: SoftwareSigningKey) {
        let credential: KeyFileSecret
        if let known = try item.credential() {
            credential = known
        } else {
            // With another one the keys that are there would seem to be of a wrong passphrase for ever.
            guard others.isEmpty else { throw Self.lost }
            credential = try item.makeCredential()
        }
        return try opening { () throws(KeyStoreError) in
            try Self.codec(credential).encode(key, alias: alias, others: others)
        }
    }

    /// A keyring that is away keeps a credential that opens nothing, and that the next key of this name is encrypted with.
    func forgetSecret() {
        try? item.delete()
    }

    /// Nobody mistypes here: a credential that does not open a file has replaced the one that did.
    private func opening<Value>(_ body: () throws(KeyStoreError) -> Value) throws(KeyStoreError) -> Value {
        do throws(KeyStoreError) {
            return try body()
        } catch {
            throw error.code == .wrongPassphrase ? Self.lost : error
        }
    }

    private static func codec(_ credential: KeyFileSecret) -> SealedKeyFileCodec {
        SealedKeyFileCodec(wrappingKeys: WrappingKeyCache(secret: credential, parameters: .passphrase))
    }

    private static var lost: KeyStoreError {
        KeyStoreError(.keyLost, "the keyring of the desktop does not have what opens the keys any more: sign in again")
    }
}
#endif
