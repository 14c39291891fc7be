// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem

/// A secret key for HMAC-SHA-256 (RFC 2104).
///
/// Copies share one set of keyed contexts. Any number of threads may use them at the same time.
package struct HMACSHA256Key: Sendable {
    private let template: MACContext
    private let idle = IdlePool<MACContext>()

    /// Creates a key.
    ///
    /// - Parameter secret: Any number of bytes. Fewer than 32 weaken the code (RFC 2104 section 3).
    package init(_ secret: [UInt8]) {
        template = MACContext(secret: secret)
    }

    /// Computes the code of a message.
    ///
    /// Compare codes with ``ConstantTime`` only.
    ///
    /// - Parameter message: The message; it may be empty.
    /// - Returns: The 32 bytes of the code.
    package func authenticationCode(for message: Span<UInt8>) -> SHA256Digest {
        let context = idle.take() ?? template.copy()
        let code = context.authenticationCode(for: message)
        idle.give(context)
        return code
    }

    /// Computes the code of a message.
    ///
    /// Compare codes with ``ConstantTime`` only.
    ///
    /// - Parameter message: The message; it may be empty.
    /// - Returns: The 32 bytes of the code.
    package func authenticationCode(for message: [UInt8]) -> SHA256Digest {
        authenticationCode(for: message.span)
    }
}

/// A keyed HMAC context.
///
/// Sendable although it holds a pointer: the template is only copied, which reads it, and only the caller that took
/// another context from the pool uses it. OpenSSL wipes the key when it frees a context.
@safe
private final class MACContext: @unchecked Sendable {
    private static let algorithm = unsafe SharedHandle(EVP_MAC_fetch(nil, "HMAC", nil), "find HMAC")

    private let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer?) {
        guard let pointer = unsafe pointer else { OpenSSL.unusable("make an HMAC context") }
        unsafe self.pointer = pointer
    }

    convenience init(secret: [UInt8]) {
        unsafe self.init(EVP_MAC_CTX_new(Self.algorithm.pointer))
        let parameters = unsafe [OpenSSL.text("digest", "SHA256"), OSSL_PARAM_construct_end()]
        let status = unsafe OpenSSL.withPointer(secret.span) { start, count in
            unsafe EVP_MAC_init(pointer, start, count, parameters)
        }
        guard status == 1 else { OpenSSL.unusable("set an HMAC key") }
    }

    deinit {
        unsafe EVP_MAC_CTX_free(pointer)
    }

    func copy() -> MACContext {
        unsafe MACContext(EVP_MAC_CTX_dup(pointer))
    }

    func authenticationCode(for message: Span<UInt8>) -> SHA256Digest {
        var code = Bytes32()
        // Without a key, OpenSSL restarts with the current one.
        guard unsafe EVP_MAC_init(pointer, nil, 0, nil) == 1 else { OpenSSL.unusable("start an HMAC") }
        let updated = unsafe message.withUnsafeBufferPointer { buffer in
            unsafe buffer.isEmpty ? 1 : EVP_MAC_update(pointer, buffer.baseAddress, buffer.count)
        }
        var count = 0
        let finished = code.withMutableBytes { target in
            unsafe target.withUnsafeMutableBufferPointer { output in
                unsafe EVP_MAC_final(pointer, output.baseAddress, &count, output.count)
            }
        }
        guard updated == 1, finished == 1, count == 32 else { OpenSSL.unusable("make an HMAC") }
        return SHA256Digest(code)
    }
}
#endif
