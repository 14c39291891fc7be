// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

/// A reusable P-256 point, for checking only the coordinates of a key.
///
/// Importing a key object calls the same function of OpenSSL in the end, but takes three times as long.
///
/// Sendable although it holds pointers: only the caller that took it from the pool uses it.
@safe
private final class P256PointCheck: @unchecked Sendable {
    private static let idle = IdlePool<P256PointCheck>()

    private let point: OpaquePointer
    private let numbers: OpaquePointer

    /// Checks a key with an idle object or a new one; `nil` only if memory is short.
    static func run(_ key: P256PublicKey) -> Bool? {
        guard let check = idle.take() ?? P256PointCheck() else { return nil }
        let isOnCurve = check.isOnCurve(key)
        idle.give(check)
        return isOnCurve
    }

    private init?() {
        guard let point = unsafe EC_POINT_new(EllipticCurve.p256.group.pointer) else { return nil }
        guard let numbers = unsafe BN_CTX_new() else {
            unsafe EC_POINT_free(point)
            return nil
        }
        unsafe (self.point, self.numbers) = (point, numbers)
    }

    deinit {
        unsafe BN_CTX_free(numbers)
        unsafe EC_POINT_free(point)
    }

    private func isOnCurve(_ key: P256PublicKey) -> Bool {
        let group = unsafe EllipticCurve.p256.group.pointer
        // OpenSSL also rejects coordinates that are not below the prime here.
        let status = unsafe key.withEncoded { encoded in
            unsafe EC_POINT_oct2point(group, point, encoded.baseAddress, encoded.count, numbers)
        }
        if status != 1 { ERR_clear_error() }
        return status == 1
    }
}

extension P256PublicKey {
    /// Whether the coordinates are below the field's prime and satisfy the equation of the curve.
    ///
    /// - Returns: Also false for the point at infinity, which has no coordinates.
    package func isOnCurve() -> Bool { P256PointCheck.run(self) ?? false }
}
#endif
