// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

extension SignatureAlgorithm {
    /// The RSA signature scheme of this algorithm; `nil` for algorithms of other key types.
    var rsaScheme: RSASignatureScheme? {
        switch self {
        case .rs256: RSASignatureScheme(.pkcs1, .sha256)
        case .rs384: RSASignatureScheme(.pkcs1, .sha384)
        case .rs512: RSASignatureScheme(.pkcs1, .sha512)
        case .ps256: RSASignatureScheme(.pss, .sha256)
        case .ps384: RSASignatureScheme(.pss, .sha384)
        case .ps512: RSASignatureScheme(.pss, .sha512)
        default: nil
        }
    }
}
