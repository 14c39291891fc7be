// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import JOSE

/// Makes and opens software keys whose private key is stored in a Keychain item.
enum SoftwareKeychainKeys {
    static func generate() throws(KeyStoreError) -> KeychainKeyItem {
        let key = try SoftwareSigningKey.generate(.es256)
        return KeychainKeyItem(place: .software, approval: .none, publicKey: key.publicKey, key: key.privateKeyBytes)
    }

    static func open(_ item: KeychainKeyItem) throws(KeyStoreError) -> SoftwareSigningKey {
        let key: SoftwareSigningKey
        do {
            key = try SoftwareSigningKey(
                privateKeyBytes: item.key,
                algorithm: .es256,
                protection: .osProtected
            )
        } catch {
            throw KeychainKeyItem.lost("its item in the Keychain is damaged", underlying: error)
        }
        try item.requireKey(key.publicKey)
        return key
    }
}
#endif
