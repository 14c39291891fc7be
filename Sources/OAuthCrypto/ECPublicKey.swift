// SPDX-License-Identifier: Apache-2.0

/// A public key on P-384 or P-521, as the two coordinates that a JWK carries (RFC 7518 section 6.2.1).
///
/// A value is any pair of strings of the right length: whether they are a point of the curve is decided by
/// ``isOnCurve()``, and by ``isValidSignature(_:for:)``, which is false for what is not.
package struct ECPublicKey: Sendable, Hashable {
    /// The curve.
    package let curve: ECDSACurve
    /// The x coordinate, as long as the curve says, most significant octet first.
    package let x: [UInt8]
    /// The y coordinate, as long as the curve says, most significant octet first.
    package let y: [UInt8]

    /// Takes the coordinates without looking at the curve's equation.
    ///
    /// - Parameters:
    ///   - curve: The curve.
    ///   - x: The x coordinate, most significant octet first.
    ///   - y: The y coordinate, most significant octet first.
    /// - Throws: ``CryptoError`` when a coordinate is not as long as the curve says.
    package init(curve: ECDSACurve, x: [UInt8], y: [UInt8]) throws(CryptoError) {
        guard x.count == curve.scalarCount, y.count == curve.scalarCount else {
            throw CryptoError("a coordinate of the key must be \(curve.scalarCount) octets long")
        }
        (self.curve, self.x, self.y) = (curve, x, y)
    }

    /// The uncompressed form of the point (SEC 1 section 2.3.3).
    var uncompressedPoint: [UInt8] { [0x04] + x + y }
}
