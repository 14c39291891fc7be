// SPDX-License-Identifier: Apache-2.0

#if canImport(Security) && (os(macOS) || os(Linux))
import OAuthCrypto
import OAuthSystem

/// The item of the login keychain with the credential of a key directory.
struct LoginKeychainItem: KeyringItem {
    /// The service of the items of all programs.
    private static let service = "org.keybound.KeyFiles"

    /// The name that identifies the item.
    let name: String

    private var items: KeychainItems { KeychainItems(loginKeychainService: Self.service) }

    func credential() throws(KeyStoreError) -> KeyFileSecret? {
        guard var bytes = try items.value(of: name) else { return nil }
        defer { SecretMemory.wipe(&bytes) }
        guard bytes.count == KeyFileSecret.credentialCount else {
            throw KeyStoreError(
                .keyLost,
                "the login keychain has something else in the place of what opens the keys: sign in again"
            )
        }
        return .credential(bytes)
    }

    func makeCredential() throws(KeyStoreError) -> KeyFileSecret {
        var bytes = SystemRandom.bytes(KeyFileSecret.credentialCount)
        defer { SecretMemory.wipe(&bytes) }
        guard try items.add(name, bytes) else {
            throw KeyStoreError(.storageFailed, "another program has just stored a secret named \(name)")
        }
        // Encrypt keys only with a credential that can be read back.
        guard let kept = try credential(), kept.bytes.withArray({ ConstantTime.areEqual($0, bytes) }) else {
            throw KeyStoreError(.storageFailed, "the login keychain does not have what was given to it")
        }
        return kept
    }

    func delete() throws(KeyStoreError) {
        try items.delete(name)
    }
}
#endif
