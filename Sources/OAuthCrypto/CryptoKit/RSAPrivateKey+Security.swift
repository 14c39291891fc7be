// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import Security

/// A private key of RSA that signs in one way.
///
/// Copies share one key object; any number of threads may sign with it at once.
package struct RSAPrivateKey: Sendable {
    /// Security's object of a private key.
    ///
    /// Sendable although the type does not say so: the object is never changed, and Apple documents the functions that
    /// use it as safe on several threads.
    private final class Handle: @unchecked Sendable {
        let key: SecKey

        init(_ key: SecKey) {
            self.key = key
        }
    }

    private let handle: Handle

    /// The public key that belongs to it.
    package let publicKey: RSAPublicKey
    /// How it signs.
    package let scheme: RSASignatureScheme

    /// Makes a new key of 3072 bits with the exponent 65537; takes a noticeable time.
    ///
    /// - Parameter scheme: How it is to sign.
    /// - Throws: ``CryptoError`` when Security makes none.
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

    /// Takes a private key; that its parts belong together is seen from a signature, which takes a noticeable time.
    ///
    /// - Parameters:
    ///   - pkcs8: A `PrivateKeyInfo` in DER (RFC 5208 section 5) of an `rsaEncryption` key, not encrypted, without
    ///     attributes, and no octet more.
    ///   - scheme: How it is to sign.
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
    /// - Parameter message: What to sign, not its digest; it may be empty.
    /// - Returns: A signature as long as the modulus.
    /// - Throws: ``CryptoError`` when Security does not sign.
    package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let message = SecurityRSA.data(message),
            let signature = SecKeyCreateSignature(handle.key, scheme.securityAlgorithm, message, nil),
            CFDataGetLength(signature) == publicKey.modulus.count
        else { throw CryptoError("sign with RSA") }
        return SecurityRSA.bytes(of: signature)
    }

    /// Ends the process: a key that Security made or took, in memory and not in a keychain, can always be written.
    private static func unusable() -> Never {
        fatalError("Security cannot write a private key of RSA that it made")
    }
}
#endif
