// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

/// A private key in the memory of this process.
///
/// It signs with ES256, ES384, ES512, EdDSA, Ed25519, and except on Apple platforms with RS256, RS384, RS512, PS256, PS384
/// and PS512.
public struct SoftwareSigningKey: SigningKey {
    /// The public half.
    public let publicKey: JWK
    /// The one algorithm that the key signs with.
    public let algorithm: SignatureAlgorithm
    /// How hard the private half is to copy: where it lies when this process does not run.
    public let protection: KeyProtection
    private let privateKey: PrivateKeyMaterial

    /// Makes a new key that lives in memory only.
    ///
    /// Keys of RSA have 3072 bits and take a noticeable time to make: not something for the cooperative thread pool.
    ///
    /// - Parameter algorithm: What the key is to sign with.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/algorithmNotAllowed`` for an algorithm that this platform does not have
    ///   or that needs a shared secret, ``JOSEError/Code/signingFailed`` when the platform makes no key.
    public init(generating algorithm: SignatureAlgorithm = .es256) throws(JOSEError) {
        do {
            try self.init(PrivateKeyMaterial(generating: algorithm), algorithm, .memory)
        } catch let error as CryptoError {
            throw JOSEError(.signingFailed, "the platform did not make a key", underlying: error)
        } catch {
            throw Self.notAllowed
        }
    }

    /// Opens a key from its bytes.
    ///
    /// - Parameters:
    ///   - privateKeyBytes: In the form of ``privateKeyBytes``.
    ///   - algorithm: What the key signs with.
    ///   - protection: Where the bytes come from.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/algorithmNotAllowed`` for an algorithm that this platform does not have
    ///   or that needs a shared secret, ``JOSEError/Code/malformedKey`` when the bytes are no private key.
    package init(
        privateKeyBytes: [UInt8],
        algorithm: SignatureAlgorithm,
        protection: KeyProtection
    ) throws(JOSEError) {
        do {
            try self.init(PrivateKeyMaterial(bytes: privateKeyBytes, algorithm), algorithm, protection)
        } catch let error as CryptoError {
            throw JOSEError(.malformedKey, "the bytes are not a private key for \(algorithm)", underlying: error)
        } catch {
            throw Self.notAllowed
        }
    }

    private init(_ privateKey: PrivateKeyMaterial, _ algorithm: SignatureAlgorithm, _ protection: KeyProtection) {
        self.privateKey = privateKey
        self.algorithm = algorithm
        self.protection = protection
        publicKey = JWK(material: privateKey.publicKey)
    }

    /// The private key, for the store that keeps it; wipe it after use.
    ///
    /// ES256, ES384 and ES512: the scalar of 32, 48 or 66 bytes, big-endian. EdDSA and Ed25519: the seed of 32 bytes
    /// (RFC 8032 section 5.1.5). RSA: a `PrivateKeyInfo` in DER (PKCS #8, RFC 5208 section 5).
    package var privateKeyBytes: [UInt8] { privateKey.bytes }

    /// Signs a message; does not suspend.
    ///
    /// - Parameter message: The JWS signing input, unhashed.
    /// - Returns: The signature in the form of JWS: r‖s of 64, 96 or 132 bytes (RFC 7518 section 3.4), 64 bytes of Ed25519
    ///   (RFC 8037 section 3.1), or for RSA as many bytes as the modulus has.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/signingFailed``.
    public func sign(_ message: [UInt8]) async throws -> [UInt8] {
        do {
            return try privateKey.signature(for: message)
        } catch {
            throw JOSEError(.signingFailed, "the platform did not sign", underlying: error)
        }
    }

    private static let notAllowed = JOSEError(
        .algorithmNotAllowed,
        "software keys sign with ES256, ES384, ES512, EdDSA, Ed25519, and except on Apple platforms with RS256 to RS512 "
            + "and PS256 to PS512"
    )
}
