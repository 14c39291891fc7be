// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

/// The hash function SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// Fetched once: looking the algorithm up costs more than hashing a short message.
    private static let algorithm = unsafe SharedHandle(EVP_MD_fetch(nil, "SHA256", nil), "find SHA-256")

    /// Hashes a message.
    ///
    /// - Parameter bytes: The message; it may be empty.
    /// - Returns: The digest.
    package static func hash(_ bytes: Span<UInt8>) -> SHA256Digest {
        var digest = Octets32()
        let status = unsafe bytes.withUnsafeBufferPointer { message in
            digest.withMutableBytes { target in
                unsafe target.withUnsafeMutableBufferPointer { output in
                    unsafe EVP_Digest(
                        message.baseAddress,
                        message.count,
                        output.baseAddress,
                        nil,
                        algorithm.pointer,
                        nil
                    )
                }
            }
        }
        guard status == 1 else { OpenSSL.unusable("hash") }
        return SHA256Digest(digest)
    }

    /// Hashes a message.
    ///
    /// - Parameter bytes: The message; it may be empty.
    /// - Returns: The digest.
    package static func hash(_ bytes: [UInt8]) -> SHA256Digest {
        hash(bytes.span)
    }
}
#endif
