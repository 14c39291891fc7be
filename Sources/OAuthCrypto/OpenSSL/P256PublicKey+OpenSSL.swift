// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem
import Synchronization

extension P256PublicKey {
    /// Verifies an ES256 signature (RFC 7518 section 3.4).
    ///
    /// The point is checked first: a key that is not on the curve verifies no signature.
    ///
    /// - Parameters:
    ///   - signature: r and s, 64 bytes; any other length is invalid.
    ///   - message: The signed message, not its digest. It may be empty.
    /// - Returns: Whether the key made the signature for the message.
    package func isValidSignature(_ signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ECDSASignatureDER.maximumCount) { der in
            guard let count = unsafe ECDSASignatureDER.encode(raw: signature, into: der) else { return false }
            return unsafe isValidDER(UnsafeBufferPointer(rebasing: der[..<count]), for: message)
        }
    }

    private func isValidDER(_ signature: UnsafeBufferPointer<UInt8>, for message: Span<UInt8>) -> Bool {
        guard let verifier = P256Verifier.take(for: self) else { return false }
        switch unsafe verifier.check(signature, of: SHA256.hash(message)) {
        case .valid:
            verifier.giveBack(isValid: true)
            return true
        case .invalid:
            ERR_clear_error()
            verifier.giveBack(isValid: false)
            return false
        case .failed:
            ERR_clear_error()
            return false
        }
    }
}

/// A P-256 key object and its context, whose point is replaced if another key is needed: the cheapest way to import a
/// key.
///
/// A key that signs again gets its own object, found by the point, and is not imported again; all other keys share one
/// object that stays in the processor's caches. The duration of a verification shows whether a key is cached. Keys are
/// public, so this discloses only that the key was used recently.
///
/// Sendable although it holds pointers and a point that changes: only the caller that took it uses it.
@safe
private final class P256Verifier: @unchecked Sendable {
    enum Outcome {
        case valid
        case invalid
        case failed
    }

    private struct Known {
        /// About three kilobytes each.
        var verifiers = AssociativeCache<P256Verifier>(capacity: 256)
        var signers = SeenFilter(capacity: 1024)
    }

    private static let known = Mutex(Known())
    private static let idle = IdlePool<P256Verifier>()

    private let key: OpaquePointer
    private let context: OpaquePointer
    private var point: P256PublicKey?
    /// Whether this point has recently signed several times.
    private var isKnown = false

    /// A verifier that has loaded a point; `nil` if the point is not on the curve, or memory is short.
    static func take(for point: P256PublicKey) -> P256Verifier? {
        let known = known.withLock { known in known.verifiers.take(point.number) { $0.point == point } }
        if let known { return known }
        // A key object that rejected a point is left with that point, so it is not reused.
        guard let verifier = idle.take() ?? P256Verifier(), verifier.load(point) else { return nil }
        return verifier
    }

    /// The key is cached from the second valid signature on, so made-up keys evict no entry.
    func giveBack(isValid: Bool) {
        guard let point, isKnown || isValid else { return Self.idle.give(self) }
        let other: P256Verifier? = Self.known.withLock { known in
            isKnown = isKnown || known.signers.note(point.number)
            return isKnown ? known.verifiers.put(self, point.number) : self
        }
        if let other { Self.idle.give(other) }
    }

    private init?() {
        guard let key = unsafe EVP_PKEY_dup(EllipticCurve.p256.parameters.pointer) else { return nil }
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

    private func load(_ point: P256PublicKey) -> Bool {
        let status = unsafe point.withEncoded { encoded in
            unsafe EVP_PKEY_set1_encoded_public_key(key, encoded.baseAddress, encoded.count)
        }
        guard status == 1 else {
            ERR_clear_error()
            return false
        }
        self.point = point
        isKnown = false
        return true
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
    /// A part of a coordinate, used as the hash of the key.
    fileprivate var number: UInt64 { xBytes.word0 }

    /// Calls a function with the uncompressed form, 65 bytes.
    ///
    /// OpenSSL accepts other forms too, but never gets them.
    func withEncoded<Result>(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Result) -> Result {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65) { encoded in
            unsafe encode(into: encoded)
            return unsafe body(encoded)
        }
    }

    private func encode(into target: UnsafeMutableBufferPointer<UInt8>) {
        unsafe target[0] = EllipticCurve.uncompressed
        xBytes.withBytes { x in
            for index in 0..<32 { unsafe target[1 + index] = x[index] }
        }
        yBytes.withBytes { y in
            for index in 0..<32 { unsafe target[33 + index] = y[index] }
        }
    }
}
#endif
