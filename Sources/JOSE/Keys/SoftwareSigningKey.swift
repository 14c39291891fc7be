// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

/// A private key in the memory of this process.
///
/// It signs with ES256, ES384, ES512, EdDSA and Ed25519; on platforms other than Apple's also with RS256, RS384, RS512,
/// PS256, PS384 and PS512.
public struct SoftwareSigningKey: SigningKey {
    /// The public half, as others verify signatures with it.
    public let publicKey: JWK
    /// The only algorithm that the key signs with.
    public let algorithm: SignatureAlgorithm
    /// How the key is stored while this process does not run.
    public let protection: KeyProtection
    private let privateKey: PrivateKeyMaterial

    /// Generates a key in memory.
    ///
    /// RSA keys have 3072 bits. Generating one takes noticeable time, so do not do it on the cooperative thread pool.
    ///
    /// - Parameter algorithm: The algorithm to sign with.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/algorithmNotAllowed`` for an algorithm that this platform does not
    ///   support or that needs a shared secret, ``JOSEError/Code/signingFailed`` if key generation fails.
    public init(generating algorithm: SignatureAlgorithm = .es256) throws(JOSEError) {
        do {
            try self.init(PrivateKeyMaterial(generating: algorithm), algorithm, .memory)
        } catch let error as CryptoError {
            throw JOSEError(.signingFailed, "the platform did not make a key", underlying: error)
        } catch {
            throw Self.notAllowed
        }
    }

    /// Imports a key from its bytes.
    ///
    /// - Parameters:
    ///   - privateKeyBytes: The private key, in the format of ``privateKeyBytes``.
    ///   - algorithm: The algorithm to sign with.
    ///   - protection: How the bytes are stored.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/algorithmNotAllowed`` for an algorithm that this platform does not
    ///   support or that needs a shared secret, ``JOSEError/Code/malformedKey`` if the bytes are not a private key.
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

    /// The private key, for storage.
    ///
    /// Wipe the bytes after use.
    ///
    /// ES256, ES384 and ES512: the scalar of 32, 48 or 66 bytes, big-endian. EdDSA and Ed25519: the seed of 32 bytes
    /// (RFC 8032 section 5.1.5). RSA: a `PrivateKeyInfo` in DER (PKCS #8, RFC 5208 section 5).
    package var privateKeyBytes: [UInt8] { privateKey.bytes }

    /// Signs a message without suspending.
    ///
    /// - Parameter message: The JWS signing input, unhashed.
    /// - Returns: The signature in the JWS format: r‖s of 64, 96 or 132 bytes (RFC 7518 section 3.4), 64 bytes for
    ///   Ed25519 (RFC 8037 section 3.1), or for RSA the length of the modulus.
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
