// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import Security

extension RSAPublicKey {
    /// Whether this platform signs and verifies with RSA.
    package static let isSupported = true

    /// Checks a signature of RSA.
    ///
    /// - Parameters:
    ///   - signature: As long as the modulus; any other count is not valid.
    ///   - message: What was signed, not its digest; it may be empty.
    ///   - scheme: How it must have been signed; a salt of another length than the digest's is not valid.
    /// - Returns: Whether the key made the signature for the message; false too for a key that Security does not take,
    ///   which it may do beyond 4096 bits.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8], scheme: RSASignatureScheme) -> Bool {
        guard signature.count == modulus.count,
            let key = SecurityRSA.makeKey(RSAKeyDER.encode(self), class: kSecAttrKeyClassPublic),
            let message = SecurityRSA.data(message), let signature = SecurityRSA.data(signature)
        else { return false }
        return SecKeyVerifySignature(key, scheme.securityAlgorithm, message, signature, nil)
    }
}

extension RSASignatureScheme {
    /// The algorithm that hashes the message too; those of PSS use MGF1 and a salt as long as the digest.
    var securityAlgorithm: SecKeyAlgorithm {
        switch (padding, hash) {
        case (.pkcs1, .sha256): .rsaSignatureMessagePKCS1v15SHA256
        case (.pkcs1, .sha384): .rsaSignatureMessagePKCS1v15SHA384
        case (.pkcs1, .sha512): .rsaSignatureMessagePKCS1v15SHA512
        case (.pss, .sha256): .rsaSignatureMessagePSSSHA256
        case (.pss, .sha384): .rsaSignatureMessagePSSSHA384
        case (.pss, .sha512): .rsaSignatureMessagePSSSHA512
        }
    }
}
#endif
