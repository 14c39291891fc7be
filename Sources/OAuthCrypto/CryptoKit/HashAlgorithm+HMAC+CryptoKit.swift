// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import CryptoKit

extension HashAlgorithm {
    /// The HMAC (RFC 2104) of a message, as long as a digest.
    func authenticationCode(for message: [UInt8], secret: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: secret)
        return switch self {
        case .sha256: [UInt8](HMAC<CryptoKit.SHA256>.authenticationCode(for: message, using: key))
        case .sha384: [UInt8](HMAC<CryptoKit.SHA384>.authenticationCode(for: message, using: key))
        case .sha512: [UInt8](HMAC<CryptoKit.SHA512>.authenticationCode(for: message, using: key))
        }
    }
}
#endif
