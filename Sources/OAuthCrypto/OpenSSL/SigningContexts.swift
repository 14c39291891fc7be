// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

/// Contexts that sign with one key: one that has signed is used again, and where all are in use another is made.
///
/// To make one for each signature costs a signature of ES256 two hundredths of its time, and all threads count references to the
/// same objects. A context keeps the key and nothing of what it signed.
///
/// Sendable although it holds a pointer: the template is not changed after `init`. Making a context copies it, which reads
/// it and counts a reference to the key atomically.
@safe
final class SigningContexts: @unchecked Sendable {
    private let template: OpaquePointer
    private let idle = IdlePool<SigningContext>(maximumIdleCount: 16)

    /// `prepare` sets what the signatures need beyond the key, and says whether that worked; `nil` when something did not.
    init?(of key: OpaquePointer, prepare: (OpaquePointer) -> Bool = { _ in true }) {
        guard let template = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return nil }
        unsafe self.template = template
        guard unsafe EVP_PKEY_sign_init(template) == 1, unsafe prepare(template) else { return nil }
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(template)
    }

    /// Signs a digest; returns how many octets the signature has in OpenSSL's form, `nil` when it makes none.
    func sign(_ digest: Span<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        guard let context = unsafe idle.take() ?? SigningContext(copying: template),
            let count = unsafe context.sign(digest, into: target)
        else { return nil }
        idle.give(context)
        return count
    }
}

/// One context, which its owner alone uses.
///
/// Sendable although it holds a pointer: it is used by the one caller that took it from the pool.
@safe
private final class SigningContext: @unchecked Sendable {
    private let pointer: OpaquePointer

    init?(copying template: OpaquePointer) {
        guard let pointer = unsafe EVP_PKEY_CTX_dup(template) else { return nil }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(pointer)
    }

    func sign(_ digest: Span<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        var count = target.count
        let status = unsafe digest.withUnsafeBufferPointer {
            unsafe EVP_PKEY_sign(pointer, target.baseAddress, &count, $0.baseAddress, $0.count)
        }
        return status == 1 && count <= target.count ? count : nil
    }
}
#endif
