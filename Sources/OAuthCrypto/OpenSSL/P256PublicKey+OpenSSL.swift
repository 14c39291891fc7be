// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

extension P256PublicKey {
    /// Checks an ES256 signature (RFC 7518 section 3.4).
    ///
    /// The point is checked first: a key that is not on the curve never verifies anything.
    ///
    /// - Parameters:
    ///   - signature: r and s; anything but 64 octets is not valid.
    ///   - message: What was signed, not its digest; it may be empty.
    /// - Returns: Whether the key made the signature for the message.
    package func isValidSignature(_ signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ECDSASignatureDER.maximumCount) { der in
            guard let count = unsafe ECDSASignatureDER.encode(raw: signature, into: der) else { return false }
            return unsafe isValidDER(UnsafeBufferPointer(rebasing: der[..<count]), for: message)
        }
    }

    private func isValidDER(_ signature: UnsafeBufferPointer<UInt8>, for message: Span<UInt8>) -> Bool {
        guard let verifier = P256Verifier.take(), verifier.load(self) else { return false }
        switch unsafe verifier.check(signature, of: SHA256.hash(message)) {
        case .valid:
            verifier.giveBack()
            return true
        case .invalid:
            ERR_clear_error()
            verifier.giveBack()
            return false
        case .failed:
            ERR_clear_error()
            return false
        }
    }
}

/// A P-256 key object with its context, whose point is replaced for each signature: the cheapest import there is.
///
/// Sendable although it holds pointers: it is used by the one caller that took it from the pool.
@safe
private final class P256Verifier: @unchecked Sendable {
    enum Outcome {
        case valid
        case invalid
        case failed
    }

    private static let idle = IdlePool<P256Verifier>()

    private let key: OpaquePointer
    private let context: OpaquePointer

    /// An idle verifier or a new one; `nil` only when memory is short.
    static func take() -> P256Verifier? {
        idle.take() ?? P256Verifier()
    }

    /// Only after a point was loaded: a key object that refused one holds what it refused.
    func giveBack() {
        Self.idle.give(self)
    }

    private init?() {
        guard let key = unsafe EVP_PKEY_dup(P256Curve.parameters.pointer) else { return nil }
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else {
            unsafe EVP_PKEY_free(key)
            return nil
        }
        unsafe (self.key, self.context) = (key, context)
        guard unsafe EVP_PKEY_verify_init(context) == 1 else { return nil }
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(context)
        unsafe EVP_PKEY_free(key)
    }

    func load(_ point: P256PublicKey) -> Bool {
        let status = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: P256Curve.pointCount) { encoded in
            unsafe point.encode(into: encoded)
            return unsafe EVP_PKEY_set1_encoded_public_key(key, encoded.baseAddress, encoded.count)
        }
        if status != 1 { ERR_clear_error() }
        return status == 1
    }

    func check(_ der: UnsafeBufferPointer<UInt8>, of digest: SHA256Digest) -> Outcome {
        let status = digest.withBytes { digest in
            unsafe digest.withUnsafeBufferPointer {
                unsafe EVP_PKEY_verify(context, der.baseAddress, der.count, $0.baseAddress, $0.count)
            }
        }
        return switch status {
        case 1: .valid
        case 0: .invalid
        default: .failed
        }
    }
}

extension P256PublicKey {
    /// Writes the uncompressed form, the only one ever given to OpenSSL, which would take others.
    func encode(into target: UnsafeMutableBufferPointer<UInt8>) {
        unsafe target[0] = P256Curve.uncompressed
        xOctets.withBytes { x in
            for index in 0..<32 { unsafe target[1 + index] = x[index] }
        }
        yOctets.withBytes { y in
            for index in 0..<32 { unsafe target[33 + index] = y[index] }
        }
    }
}
#endif
