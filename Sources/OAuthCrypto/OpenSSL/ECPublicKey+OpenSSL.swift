// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

extension ECPublicKey {
    /// Whether the coordinates are below the field's prime and satisfy the equation of the curve.
    ///
    /// - Returns: Also false for the point at infinity, which has no coordinates.
    package func isOnCurve() -> Bool {
        guard let verifier = ECVerifier.take(curve) else { return false }
        guard verifier.load(self) else { return false }
        verifier.giveBack()
        return true
    }

    /// Verifies an ES384 or ES512 signature (RFC 7518 section 3.4).
    ///
    /// The point is checked first: a key that is not on the curve verifies no signature.
    ///
    /// - Parameters:
    ///   - signature: r and s, each as long as a coordinate. Any other length is invalid.
    ///   - message: The signed message, not its digest. It may be empty.
    /// - Returns: Whether the key made the signature for the message.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let der = curve.encodeSignature(raw: signature), let verifier = ECVerifier.take(curve),
            verifier.load(self)
        else { return false }
        let status = verifier.check(der, of: curve.hash.hash(message))
        if status != 1 { ERR_clear_error() }
        // A negative status is a failure of the library. The object is not reused after that.
        if status >= 0 { verifier.giveBack() }
        return status == 1
    }
}

/// A key object and its context, whose point is replaced for each signature: the cheapest way to import a key.
///
/// Sendable although it holds pointers: only the caller that took it from the pool uses it.
@safe
private final class ECVerifier: @unchecked Sendable {
    private static let idleP384 = IdlePool<ECVerifier>()
    private static let idleP521 = IdlePool<ECVerifier>()

    private let curve: ECDSACurve
    private let key: OpaquePointer
    private let context: OpaquePointer

    /// An idle verifier or a new one; `nil` only if memory is short.
    static func take(_ curve: ECDSACurve) -> ECVerifier? {
        idle(curve).take() ?? ECVerifier(curve)
    }

    /// Call only after a point was loaded: a key object that rejected a point is left with that point.
    func giveBack() {
        Self.idle(curve).give(self)
    }

    private static func idle(_ curve: ECDSACurve) -> IdlePool<ECVerifier> {
        switch curve {
        case .p384: idleP384
        case .p521: idleP521
        }
    }

    private init?(_ curve: ECDSACurve) {
        guard let key = unsafe EVP_PKEY_dup(curve.ellipticCurve.parameters.pointer) else { return nil }
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else {
            unsafe EVP_PKEY_free(key)
            return nil
        }
        self.curve = curve
        unsafe (self.key, self.context) = (key, context)
        guard unsafe EVP_PKEY_verify_init(context) == 1 else { return nil }
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(context)
        unsafe EVP_PKEY_free(key)
    }

    func load(_ point: ECPublicKey) -> Bool {
        let encoded = point.uncompressedPoint
        let status = unsafe EVP_PKEY_set1_encoded_public_key(key, encoded, encoded.count)
        if status != 1 { ERR_clear_error() }
        return status == 1
    }

    func check(_ der: [UInt8], of digest: [UInt8]) -> Int32 {
        unsafe EVP_PKEY_verify(context, der, der.count, digest, digest.count)
    }
}
#endif
