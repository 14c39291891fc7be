// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

/// A context that signs with one key, signature after signature.
///
/// It keeps the key and nothing of what it signed.
///
/// Sendable although it holds a pointer: it is used by the one caller that took it from the pool.
@safe
final class SigningContext: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Copies a context that is ready to sign; `nil` when memory is short.
    init?(copying template: OpaquePointer) {
        guard let pointer = unsafe EVP_PKEY_CTX_dup(template) else { return nil }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(pointer)
    }

    /// Signs a digest; returns how many octets the signature has in OpenSSL's form, `nil` when it makes none.
    func sign(_ digest: Span<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        var count = target.count
        let status = unsafe digest.withUnsafeBufferPointer {
            unsafe EVP_PKEY_sign(pointer, target.baseAddress, &count, $0.baseAddress, $0.count)
        }
        return status == 1 && count <= target.count ? count : nil
    }
}
#endif
