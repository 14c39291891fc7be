// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
import OAuthCrypto
import OAuthSystem

/// Derives the key that wraps private keys from the secret of a store.
struct KeyDerivation: Sendable, Hashable {
    enum Function: Sendable, Hashable {
        case scrypt(ScryptParameters)
        case hkdf
    }

    static let saltCount = 16
    private static let info = Array("keybound key file 1".utf8)
    /// 32 bytes for encryption and 32 for authentication of the header.
    private static let keyCount = 64

    let function: Function
    /// 16 bytes.
    let salt: [UInt8]

    /// Makes a derivation with a new salt.
    init(for kind: KeyFileSecret.Kind, parameters: ScryptParameters) {
        function =
            switch kind {
            case .passphrase: .scrypt(parameters)
            case .credential: .hkdf
            }
        salt = SystemRandom.bytes(Self.saltCount)
    }

    init(function: Function, salt: [UInt8]) {
        self.function = function
        self.salt = salt
    }

    var kind: KeyFileSecret.Kind {
        switch function {
        case .scrypt: .passphrase
        case .hkdf: .credential
        }
    }

    private static func scrypt(
        _ secret: [UInt8],
        _ salt: [UInt8],
        _ parameters: ScryptParameters,
        _ count: Int
    ) throws(CryptoError) -> [UInt8] {
        #if os(Linux)
        return try Scrypt.deriveKey(from: secret, salt: salt, parameters: parameters, count: count)
        #else
        // Not reached: without passphrases there is no secret of this kind.
        throw CryptoError("scrypt is not available on macOS")
        #endif
    }

    /// Derives the key; slow with scrypt.
    func wrappingKey(from secret: KeyFileSecret) throws(KeyStoreError) -> WrappingKey {
        do {
            var octets = try secret.bytes.withArray { secret throws(CryptoError) in
                let count = Self.keyCount
                return switch function {
                case .scrypt(let parameters):
                    try Self.scrypt(secret, salt, parameters, count)
                case .hkdf:
                    try HKDFSHA256.deriveKey(from: secret, salt: salt, info: Self.info, count: count)
                }
            }
            defer { SecretMemory.wipe(&octets) }
            return WrappingKey(octets)
        } catch {
            throw KeyStoreError(
                .storageFailed,
                "the key that opens the key file cannot be derived; scrypt needs 128 MiB of memory",
                underlying: error
            )
        }
    }
}

/// The key that encrypts private keys, and the key that distinguishes a wrong secret from a damaged file.
struct WrappingKey: Sendable {
    let encryption: SecretBytes
    let check: HMACSHA256Key

    fileprivate init(_ octets: [UInt8]) {
        encryption = SecretBytes(copying: octets.prefix(32))
        var checkSecret = Array(octets.dropFirst(32))
        check = HMACSHA256Key(checkSecret)
        SecretMemory.wipe(&checkSecret)
    }
}
#endif
