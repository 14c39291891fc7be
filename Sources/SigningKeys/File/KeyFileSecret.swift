// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
import OAuthCrypto
public import OAuthSystem

/// The secret that decrypts the keys of an ``EncryptedFileKeyStore``.
///
/// It prints as a placeholder, and is wiped from memory with its last copy.
public struct KeyFileSecret: Sendable, RedactedSecret {
    enum Kind: Sendable {
        case passphrase
        case credential
    }

    /// The size of a credential in bytes.
    public static let credentialCount = 32

    let kind: Kind
    let bytes: SecretBytes

    #if os(Linux)
    /// A passphrase that a user types; scrypt derives the key (RFC 7914; N 2^17, r 8: 128 MiB and a quarter of a
    /// second).
    ///
    /// On Linux only: no framework of macOS has scrypt.
    ///
    /// - Parameter bytes: The passphrase, at least 1 byte, without the line break. Wipe your copy.
    /// - Returns: The secret.
    public static func passphrase(_ bytes: [UInt8]) -> KeyFileSecret {
        KeyFileSecret(kind: .passphrase, bytes: SecretBytes(copying: bytes))
    }
    #endif

    /// A secret that a machine stores, for example as a systemd credential; HKDF derives the key (RFC 5869).
    ///
    /// - Parameter bytes: Exactly 32 random bytes. Wipe your copy.
    /// - Returns: The secret.
    public static func credential(_ bytes: [UInt8]) -> KeyFileSecret {
        KeyFileSecret(kind: .credential, bytes: SecretBytes(copying: bytes))
    }

    func validate() throws(KeyStoreError) {
        switch kind {
        case .passphrase:
            guard bytes.count > 0 else { throw KeyStoreError(.invalidSecret, "the passphrase must not be empty") }
        case .credential:
            guard bytes.count == Self.credentialCount else {
                throw KeyStoreError(.invalidSecret, "the credential must be exactly 32 octets, such as 32 random ones")
            }
        }
    }
}
#endif
