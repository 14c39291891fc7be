// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import Security

extension RSAPublicKey {
    /// Whether this platform supports RSA.
    package static let isSupported = true

    /// Verifies an RSA signature.
    ///
    /// - Parameters:
    ///   - signature: The signature, as long as the modulus. Any other length is invalid.
    ///   - message: The signed message, not its digest. It may be empty.
    ///   - scheme: The required scheme. A salt that is not as long as the digest is invalid.
    /// - Returns: Whether the key made the signature for the message; also false for a key that Security rejects, as it
    ///   may do beyond 4096 bits.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8], scheme: RSASignatureScheme) -> Bool {
        guard signature.count == modulus.count,
            let key = SecurityRSA.makeKey(RSAKeyDER.encode(self), class: kSecAttrKeyClassPublic),
            let message = SecurityRSA.data(message), let signature = SecurityRSA.data(signature)
        else { return false }
        return SecKeyVerifySignature(key, scheme.securityAlgorithm, message, signature, nil)
    }
}

extension RSASignatureScheme {
    /// The algorithm includes hashing the message.
    ///
    /// Those of PSS use MGF1 and a salt as long as the digest.
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
