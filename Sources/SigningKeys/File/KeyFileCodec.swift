// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE

/// How a key becomes the bytes of its file and back.
protocol KeyFileCodec<Key>: Sendable {
    /// What a file opens to.
    associatedtype Key: SigningKey

    /// Opens a key file.
    func decode(_ bytes: [UInt8], alias: KeyAlias) throws(KeyStoreError) -> Key

    /// Makes a key and the contents of its file.
    ///
    /// `others` are the key files that are there already, with their names.
    func generate(
        _ algorithm: SignatureAlgorithm,
        alias: KeyAlias,
        others: [(alias: KeyAlias, bytes: [UInt8])]
    ) throws(KeyStoreError) -> (bytes: [UInt8], key: Key)

    /// Called when the last key file of the directory was removed, while nobody makes another one.
    func forgetSecret()
}

extension KeyFileCodec {
    /// A secret that comes from elsewhere is not the codec's to delete.
    func forgetSecret() {}
}

/// A codec of keys that are made before they are stored.
protocol SoftwareKeyFileCodec: KeyFileCodec<SoftwareSigningKey> {
    /// Makes the contents of a new key file.
    ///
    /// `others` are the key files that are there already, with their names.
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

struct SealedKeyFileCodec: SoftwareKeyFileCodec {
    let wrappingKeys: WrappingKeyCache

    func decode(_ bytes: [UInt8], alias: KeyAlias) throws(KeyStoreError) -> SoftwareSigningKey {
        let file = try SealedKeyFile(parsing: bytes, alias: alias)
        return try file.open(with: wrappingKeys.key(for: file.derivation))
    }

    func encode(
        _ key: SoftwareSigningKey,
        alias: KeyAlias,
        others: [(alias: KeyAlias, bytes: [UInt8])]
    ) throws(KeyStoreError) -> (bytes: [UInt8], key: SoftwareSigningKey) {
        let derivation = try sharedDerivation(of: others) ?? wrappingKeys.newDerivation()
        let wrappingKey = try wrappingKeys.key(for: derivation)
        let file = try SealedKeyFile(sealing: key, alias: alias, derivation: derivation, with: wrappingKey)
        let bytes = file.encoded()
        return (bytes, try decode(bytes, alias: alias))
    }

    /// The derivation of a key file that is there, so that one passphrase means one run of scrypt for all keys.
    ///
    /// The file must open too: a passphrase with a typing error must not become the passphrase of the second key.
    private func sharedDerivation(
        of others: [(alias: KeyAlias, bytes: [UInt8])]
    ) throws(KeyStoreError) -> KeyDerivation? {
        for other in others {
            guard let file = try? SealedKeyFile(parsing: other.bytes, alias: other.alias) else { continue }
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
