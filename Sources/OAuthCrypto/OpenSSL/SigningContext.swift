// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

/// A context that creates any number of signatures with one key.
///
/// It keeps the key, and nothing of the signed messages.
///
/// Sendable although it holds a pointer: only the caller that took it from the pool uses it.
@safe
final class SigningContext: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Copies an initialized signing context; `nil` if memory is short.
    init?(copying template: OpaquePointer) {
        guard let pointer = unsafe EVP_PKEY_CTX_dup(template) else { return nil }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(pointer)
    }

    /// Signs a digest.
    ///
    /// Returns the length of the signature in OpenSSL's form; `nil` if OpenSSL fails.
    func sign(_ digest: Span<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        var count = target.count
        let status = unsafe digest.withUnsafeBufferPointer {
            unsafe EVP_PKEY_sign(pointer, target.baseAddress, &count, $0.baseAddress, $0.count)
        }
        return status == 1 && count <= target.count ? count : nil
    }
}
#endif
