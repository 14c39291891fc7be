// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem

/// The hash function SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// Hashes a message.
    ///
    /// - Parameter bytes: The message; it may be empty.
    /// - Returns: The digest.
    package static func hash(_ bytes: Span<UInt8>) -> SHA256Digest {
        let context = SHA256Context.idle.take() ?? SHA256Context()
        let digest = context.hash(bytes)
        SHA256Context.idle.give(context)
        return digest
    }

    /// Hashes a message.
    ///
    /// - Parameter bytes: The message; it may be empty.
    /// - Returns: The digest.
    package static func hash(_ bytes: [UInt8]) -> SHA256Digest {
        hash(bytes.span)
    }
}

/// A reusable hash context: creating one costs more than hashing a short message.
///
/// It keeps only the digest of a message, until the next one.
///
/// Sendable although it holds a pointer: only the caller that took it from the pool uses it.
@safe
private final class SHA256Context: @unchecked Sendable {
    static let idle = IdlePool<SHA256Context>()

    private let pointer: OpaquePointer

    init() {
        guard let pointer = unsafe EVP_MD_CTX_new() else { OpenSSL.unusable("make a context to hash") }
        unsafe self.pointer = pointer
        guard unsafe EVP_DigestInit_ex2(pointer, HashAlgorithm.sha256.handle.pointer, nil) == 1 else {
            OpenSSL.unusable("find SHA-256")
        }
    }

    deinit {
        unsafe EVP_MD_CTX_free(pointer)
    }

    func hash(_ bytes: Span<UInt8>) -> SHA256Digest {
        var digest = Bytes32()
        let status = unsafe bytes.withUnsafeBufferPointer { message in
            digest.withMutableBytes { target in
                unsafe target.withUnsafeMutableBufferPointer { output in
                    // Without an algorithm, OpenSSL uses the previous one.
                    unsafe EVP_DigestInit_ex2(pointer, nil, nil) == 1
                        && EVP_DigestUpdate(pointer, message.baseAddress, message.count) == 1
                        && EVP_DigestFinal_ex(pointer, output.baseAddress, nil) == 1
                }
            }
        }
        guard status else { OpenSSL.unusable("hash") }
        return SHA256Digest(digest)
    }
}
#endif
