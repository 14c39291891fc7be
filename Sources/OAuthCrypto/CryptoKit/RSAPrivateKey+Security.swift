// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import Security

/// An RSA private key for one signature scheme.
///
/// Copies share one key object. Any number of threads may sign with it at the same time.
package struct RSAPrivateKey: Sendable {
    /// Security's object for a private key.
    ///
    /// Sendable although the type is not marked so: the object is never changed, and Apple documents the functions that
    /// use it as thread-safe.
    private final class Handle: @unchecked Sendable {
        let key: SecKey

        init(_ key: SecKey) {
            self.key = key
        }
    }

    private let handle: Handle

    /// The public key of the pair.
    package let publicKey: RSAPublicKey
    /// The signature scheme.
    package let scheme: RSASignatureScheme

    /// Generates a key of 3072 bits with the exponent 65537.
    ///
    /// This takes noticeable time.
    ///
    /// - Parameter scheme: The scheme to sign with.
    /// - Throws: ``CryptoError`` if Security cannot generate a key.
    package init(generating scheme: RSASignatureScheme) throws(CryptoError) {
        guard let key = SecurityRSA.generateKey(bits: 3072), var pkcs1 = SecurityRSA.pkcs1(of: key) else {
            throw CryptoError("make a key of RSA")
        }
        defer { SecretMemory.wipe(&pkcs1) }
        guard let parts = RSAKeyDER.read(pkcs1: pkcs1) else {
            throw CryptoError("make a key of RSA: it cannot be read")
        }
        handle = Handle(key)
        publicKey = try RSAPublicKey(modulus: parts.modulus, exponent: parts.exponent)
        self.scheme = scheme
    }

    /// Imports a private key.
    ///
    /// A test signature checks that its parts match, which takes noticeable time.
    ///
    /// - Parameters:
    ///   - pkcs8: A `PrivateKeyInfo` in DER (RFC 5208 section 5) of an `rsaEncryption` key, not encrypted, without
    ///     attributes and without trailing bytes.
    ///   - scheme: The scheme to sign with.
    /// - Throws: ``CryptoError`` for anything else, and for a key outside the limits of ``RSAPublicKey``.
    package init(pkcs8: [UInt8], scheme: RSASignatureScheme) throws(CryptoError) {
        guard var parts = RSAKeyDER.unwrap(pkcs8: pkcs8) else {
            throw CryptoError("import a private key of RSA: it is not a PrivateKeyInfo of RSA in DER")
        }
        defer { SecretMemory.wipe(&parts.pkcs1) }
        publicKey = try RSAPublicKey(modulus: parts.modulus, exponent: parts.exponent)
        guard let key = SecurityRSA.makeKey(parts.pkcs1, class: kSecAttrKeyClassPrivate) else {
            throw CryptoError("import a private key of RSA: Security refuses it")
        }
        handle = Handle(key)
        self.scheme = scheme
        let message: [UInt8] = [0]
        guard try publicKey.isValidSignature(signature(for: message), for: message, scheme: scheme) else {
            throw CryptoError("import a private key of RSA: its parts do not belong together")
        }
    }

    /// The private key as a `PrivateKeyInfo` in DER (RFC 5208 section 5).
    ///
    /// Wipe it after use.
    package var pkcs8: [UInt8] {
        guard var pkcs1 = SecurityRSA.pkcs1(of: handle.key) else { Self.unusable() }
        defer { SecretMemory.wipe(&pkcs1) }
        return RSAKeyDER.wrap(pkcs1: pkcs1)
    }

    /// Signs.
    ///
    /// - Parameter message: The message, not its digest. It may be empty.
    /// - Returns: A signature as long as the modulus.
    /// - Throws: ``CryptoError`` if Security cannot sign.
    package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let message = SecurityRSA.data(message),
            let signature = SecKeyCreateSignature(handle.key, scheme.securityAlgorithm, message, nil),
            CFDataGetLength(signature) == publicKey.modulus.count
        else { throw CryptoError("sign with RSA") }
        return SecurityRSA.bytes(of: signature)
    }

    /// Ends the process.
    ///
    /// Encoding cannot fail for a key that Security generated or imported in memory, outside the keychain.
    private static func unusable() -> Never {
        fatalError("Security cannot write a private key of RSA that it made")
    }
}
#endif
