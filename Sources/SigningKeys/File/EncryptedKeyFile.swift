// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
import JOSE
import OAuthCrypto
import OAuthSystem
import StrictJSON

/// The contents of an encrypted key file, version 1.
///
/// A JSON object. `check` is an HMAC over the members before it, with a key derived from the secret: if it is wrong,
/// the secret is wrong. `ciphertext` is the private key, encrypted with AES-256-GCM; all members before it are
/// authenticated.
struct EncryptedKeyFile {
    static let format = "keybound-encrypted-key"
    private static let version: Int64 = 1
    private static let commonMembers = [
        "format", "version", "alias", "algorithm", "kdf", "salt", "check", "nonce", "ciphertext",
    ]
    private static let scryptMembers = ["cost", "blockSize", "parallelism"]
    private static let nonceCount = 12
    private static let tagCount = 16

    let alias: KeyAlias
    let algorithm: SignatureAlgorithm
    let derivation: KeyDerivation
    private let check: [UInt8]
    private let nonce: [UInt8]
    private let ciphertext: [UInt8]

    /// Reads a file without decrypting it.
    init(parsing bytes: [UInt8], alias: KeyAlias) throws(KeyStoreError) {
        let object = try KeyFileObject(bytes)
        try object.requireFormat(Self.format, version: Self.version, alias: alias)
        self.alias = alias
        algorithm = SignatureAlgorithm(rawValue: try object.string("algorithm"))
        derivation = try Self.derivation(of: object)
        check = try object.bytes("check", counts: 32...32)
        nonce = try object.bytes("nonce", counts: Self.nonceCount...Self.nonceCount)
        ciphertext = try object.bytes("ciphertext", counts: Self.tagCount...4096)
    }

    init(
        sealing key: SoftwareSigningKey,
        alias: KeyAlias,
        derivation: KeyDerivation,
        with wrappingKey: WrappingKey
    ) throws(KeyStoreError) {
        self.alias = alias
        self.derivation = derivation
        algorithm = key.algorithm
        let header = Self.header(alias, key.algorithm, derivation)
        check = wrappingKey.check.authenticationCode(for: JSONValue.object(header).encoded()).bytes
        nonce = SystemRandom.bytes(Self.nonceCount)
        var privateKey = key.privateKeyBytes
        defer { SecretMemory.wipe(&privateKey) }
        do {
            let (nonce, data) = (nonce, Self.authenticated(header, check, nonce))
            ciphertext = try wrappingKey.encryption.withArray { key throws(CryptoError) in
                try AES256GCM.seal(privateKey, key: key, nonce: nonce, authenticating: data)
            }
        } catch {
            throw KeyStoreError(.storageFailed, "the key cannot be encrypted", underlying: error)
        }
    }

    func open(with wrappingKey: WrappingKey) throws(KeyStoreError) -> SoftwareSigningKey {
        let header = Self.header(alias, algorithm, derivation)
        let expected = wrappingKey.check.authenticationCode(for: JSONValue.object(header).encoded()).bytes
        guard ConstantTime.areEqual(expected, check) else {
            throw KeyStoreError(.wrongPassphrase, "the passphrase or credential does not open the key file")
        }
        do {
            let data = Self.authenticated(header, check, nonce)
            var privateKey = try wrappingKey.encryption.withArray { key throws(CryptoError) in
                try AES256GCM.open(ciphertext, key: key, nonce: nonce, authenticating: data)
            }
            defer { SecretMemory.wipe(&privateKey) }
            return try SoftwareSigningKey(
                privateKeyBytes: privateKey,
                algorithm: algorithm,
                protection: .encryptedFile
            )
        } catch {
            throw KeyFileObject.malformed("it was changed or damaged")
        }
    }

    func encoded() -> [UInt8] {
        var object = Self.header(alias, algorithm, derivation)
        object["check"] = .string(Base64URL.encode(check))
        object["nonce"] = .string(Base64URL.encode(nonce))
        object["ciphertext"] = .string(Base64URL.encode(ciphertext))
        return JSONValue.object(object).encoded() + [UInt8(ascii: "\n")]
    }

    private static func header(
        _ alias: KeyAlias,
        _ algorithm: SignatureAlgorithm,
        _ derivation: KeyDerivation
    ) -> JSONObject {
        var object: JSONObject = [
            "format": .string(format), "version": .number(JSONNumber(version)), "alias": .string(alias.text),
            "algorithm": .string(algorithm.rawValue),
        ]
        switch derivation.function {
        case .hkdf:
            object["kdf"] = "hkdf-sha256"
        case .scrypt(let parameters):
            object["kdf"] = "scrypt"
            object["cost"] = .number(JSONNumber(Int64(parameters.cost)))
            object["blockSize"] = .number(JSONNumber(Int64(parameters.blockSize)))
            object["parallelism"] = .number(JSONNumber(Int64(parameters.parallelism)))
        }
        object["salt"] = .string(Base64URL.encode(derivation.salt))
        return object
    }

    private static func authenticated(_ header: JSONObject, _ check: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
        JSONValue.object(header).encoded() + check + nonce
    }

    private static func derivation(of object: KeyFileObject) throws(KeyStoreError) -> KeyDerivation {
        let function: KeyDerivation.Function
        switch try object.string("kdf") {
        case "hkdf-sha256":
            try object.requireMembers(commonMembers)
            function = .hkdf
        case "scrypt":
            try object.requireMembers(commonMembers + scryptMembers)
            // The parameters of a file are limited: it must not exhaust the memory of the machine.
            let parameters = ScryptParameters(
                cost: try object.integer("cost", in: 2...(1 << 20)),
                blockSize: try object.integer("blockSize", in: 1...8),
                parallelism: try object.integer("parallelism", in: 1...16)
            )
            guard parameters.cost & (parameters.cost - 1) == 0 else {
                throw KeyFileObject.malformed("cost is not a power of two")
            }
            function = .scrypt(parameters)
        default:
            throw KeyFileObject.malformed("its kdf is not known")
        }
        let salt = try object.bytes("salt", counts: KeyDerivation.saltCount...KeyDerivation.saltCount)
        return KeyDerivation(function: function, salt: salt)
    }
}
#endif
