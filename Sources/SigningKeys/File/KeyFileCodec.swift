// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
import JOSE

/// Converts a key to the bytes of its file and back.
protocol KeyFileCodec<Key>: Sendable {
    /// The type of key in a file.
    associatedtype Key: SigningKey

    func decode(_ bytes: [UInt8], alias: KeyAlias) throws(KeyStoreError) -> Key

    /// Makes a key and the contents of its file.
    ///
    /// `others` are the existing key files, with their names.
    func generate(
        _ algorithm: SignatureAlgorithm,
        alias: KeyAlias,
        others: [(alias: KeyAlias, bytes: [UInt8])]
    ) throws(KeyStoreError) -> (bytes: [UInt8], key: Key)

    /// Called after the last key file of the directory was removed, under the lock.
    func forgetSecret()
}

extension KeyFileCodec {
    /// A codec does not delete a secret that comes from outside.
    func forgetSecret() {}
}

/// A codec for keys that are made before they are stored.
protocol SoftwareKeyFileCodec: KeyFileCodec<SoftwareSigningKey> {
    /// Makes the contents of a new key file.
    ///
    /// `others` are the existing key files, with their names.
    func encode(
        _ key: SoftwareSigningKey,
        alias: KeyAlias,
        others: [(alias: KeyAlias, bytes: [UInt8])]
    ) throws(KeyStoreError) -> (bytes: [UInt8], key: SoftwareSigningKey)
}

extension SoftwareKeyFileCodec {
    func generate(
        _ algorithm: SignatureAlgorithm,
        alias: KeyAlias,
        others: [(alias: KeyAlias, bytes: [UInt8])]
    ) throws(KeyStoreError) -> (bytes: [UInt8], key: SoftwareSigningKey) {
        try encode(.generate(algorithm), alias: alias, others: others)
    }
}

struct UnencryptedKeyFileCodec: SoftwareKeyFileCodec {
    func decode(_ bytes: [UInt8], alias: KeyAlias) throws(KeyStoreError) -> SoftwareSigningKey {
        try UnencryptedKeyFile.decode(bytes, alias: alias)
    }

    func encode(
        _ key: SoftwareSigningKey,
        alias: KeyAlias,
        others: [(alias: KeyAlias, bytes: [UInt8])]
    ) throws(KeyStoreError) -> (bytes: [UInt8], key: SoftwareSigningKey) {
        let bytes = UnencryptedKeyFile.encode(key, alias: alias)
        return (bytes, try decode(bytes, alias: alias))
    }
}

struct EncryptedKeyFileCodec: SoftwareKeyFileCodec {
    let wrappingKeys: WrappingKeyCache

    func decode(_ bytes: [UInt8], alias: KeyAlias) throws(KeyStoreError) -> SoftwareSigningKey {
        let file = try EncryptedKeyFile(parsing: bytes, alias: alias)
        return try file.open(with: wrappingKeys.key(for: file.derivation))
    }

    func encode(
        _ key: SoftwareSigningKey,
        alias: KeyAlias,
        others: [(alias: KeyAlias, bytes: [UInt8])]
    ) throws(KeyStoreError) -> (bytes: [UInt8], key: SoftwareSigningKey) {
        let derivation = try sharedDerivation(of: others) ?? wrappingKeys.newDerivation()
        let wrappingKey = try wrappingKeys.key(for: derivation)
        let file = try EncryptedKeyFile(sealing: key, alias: alias, derivation: derivation, with: wrappingKey)
        let bytes = file.encoded()
        return (bytes, try decode(bytes, alias: alias))
    }

    /// The derivation of an existing key file, so that scrypt runs once per passphrase for all keys.
    ///
    /// The passphrase must decrypt that file: a mistyped one must not be used for the second key.
    private func sharedDerivation(
        of others: [(alias: KeyAlias, bytes: [UInt8])]
    ) throws(KeyStoreError) -> KeyDerivation? {
        for other in others {
            guard let file = try? EncryptedKeyFile(parsing: other.bytes, alias: other.alias) else { continue }
            do {
                _ = try file.open(with: wrappingKeys.key(for: file.derivation))
                return file.derivation
            } catch {
                if error.code == .malformedKeyFile { continue }
                throw error
            }
        }
        return nil
    }
}
#endif
