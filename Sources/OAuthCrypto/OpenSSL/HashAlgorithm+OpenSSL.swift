// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem

extension HashAlgorithm {
    private static let sha256Handle = unsafe SharedHandle(EVP_MD_fetch(nil, "SHA256", nil), "find SHA-256")
    private static let sha384Handle = unsafe SharedHandle(EVP_MD_fetch(nil, "SHA384", nil), "find SHA-384")
    private static let sha512Handle = unsafe SharedHandle(EVP_MD_fetch(nil, "SHA512", nil), "find SHA-512")

    /// The hash function, fetched once.
    var handle: SharedHandle {
        switch self {
        case .sha256: Self.sha256Handle
        case .sha384: Self.sha384Handle
        case .sha512: Self.sha512Handle
        }
    }

    /// The name of the hash function in OpenSSL.
    var name: StaticString {
        switch self {
        case .sha256: "SHA256"
        case .sha384: "SHA384"
        case .sha512: "SHA512"
        }
    }

    /// Hashes a message, which may be empty.
    package func hash(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](zeros: digestCount)
        guard unsafe EVP_Digest(message, message.count, &digest, nil, handle.pointer, nil) == 1 else {
            OpenSSL.unusable("hash")
        }
        return digest
    }
}
#endif
