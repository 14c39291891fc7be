// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

/// A private key in memory, by type.
enum PrivateKeyMaterial: Sendable {
    case p256(P256PrivateKey)
    case ec(ECPrivateKey)
    case ed25519(Ed25519PrivateKey)
    case rsa(RSAPrivateKey)

    /// This platform has no private keys for the algorithm.
    struct UnsupportedAlgorithm: Error {}

    /// Throws ``UnsupportedAlgorithm``, or a `CryptoError` if key generation fails.
    init(generating algorithm: SignatureAlgorithm) throws {
        self =
            switch algorithm {
            case .es256: .p256(try P256PrivateKey())
            case .es384: .ec(try ECPrivateKey(generating: .p384))
            case .es512: .ec(try ECPrivateKey(generating: .p521))
            case .edDSA, .ed25519: .ed25519(try Ed25519PrivateKey())
            default: .rsa(try RSAPrivateKey(generating: Self.rsaScheme(of: algorithm)))
            }
    }

    /// Throws ``UnsupportedAlgorithm``, or a `CryptoError` if the bytes are not a key for the algorithm.
    init(bytes: [UInt8], _ algorithm: SignatureAlgorithm) throws {
        self =
            switch algorithm {
            case .es256: .p256(try P256PrivateKey(rawRepresentation: bytes))
            case .es384: .ec(try ECPrivateKey(rawRepresentation: bytes, curve: .p384))
            case .es512: .ec(try ECPrivateKey(rawRepresentation: bytes, curve: .p521))
            case .edDSA, .ed25519: .ed25519(try Ed25519PrivateKey(rawRepresentation: bytes))
            default: .rsa(try RSAPrivateKey(pkcs8: bytes, scheme: Self.rsaScheme(of: algorithm)))
            }
    }

    private static func rsaScheme(of algorithm: SignatureAlgorithm) throws(UnsupportedAlgorithm) -> RSASignatureScheme {
        guard RSAPublicKey.isSupported, let scheme = algorithm.rsaScheme else { throw UnsupportedAlgorithm() }
        return scheme
    }

    var publicKey: JWK.Material {
        switch self {
        case .p256(let key): .p256(key.publicKey)
        case .ec(let key): .ec(key.publicKey)
        case .ed25519(let key): .ed25519(key.publicKey)
        case .rsa(let key): .rsa(key.publicKey)
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .p256(let key): key.rawRepresentation
        case .ec(let key): key.rawRepresentation
        case .ed25519(let key): key.rawRepresentation
        case .rsa(let key): key.pkcs8
        }
    }

    func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        switch self {
        case .p256(let key): try key.signature(for: message)
        case .ec(let key): try key.signature(for: message)
        case .ed25519(let key): try key.signature(for: message)
        case .rsa(let key): try key.signature(for: message)
        }
    }
}
