// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
extension RSAPublicKey {
    /// Whether this platform signs and verifies with RSA: CryptoKit does not.
    package static let isSupported = false

    /// No signature of RSA is valid on this platform; ask ``isSupported`` first.
    ///
    /// - Parameters:
    ///   - signature: Not looked at.
    ///   - message: Not looked at.
    ///   - scheme: Not looked at.
    /// - Returns: False.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8], scheme: RSASignatureScheme) -> Bool {
        false
    }
}

/// A private key of RSA, of which no value can be made on this platform: CryptoKit has no RSA.
package struct RSAPrivateKey: Sendable {
    /// The public key that belongs to it.
    package let publicKey: RSAPublicKey

    /// Makes no key.
    ///
    /// - Parameter scheme: How it was to sign.
    /// - Throws: ``CryptoError``, always.
    package init(generating scheme: RSASignatureScheme) throws(CryptoError) {
        throw CryptoError("make a key of RSA: not supported on this platform")
    }

    /// Takes no key.
    ///
    /// - Parameters:
    ///   - pkcs8: A `PrivateKeyInfo` in DER.
    ///   - scheme: How it was to sign.
    /// - Throws: ``CryptoError``, always.
    package init(pkcs8: [UInt8], scheme: RSASignatureScheme) throws(CryptoError) {
        throw CryptoError("import a private key of RSA: not supported on this platform")
    }

    /// Nothing.
    package var pkcs8: [UInt8] { [] }

    /// Signs nothing.
    ///
    /// - Parameter message: Not looked at.
    /// - Returns: Never.
    /// - Throws: ``CryptoError``, always.
    package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        throw CryptoError("sign with RSA: not supported on this platform")
    }
}
#endif
