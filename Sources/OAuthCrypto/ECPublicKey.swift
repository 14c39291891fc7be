// SPDX-License-Identifier: Apache-2.0

/// A public key on P-384 or P-521: the two coordinates of a JWK (RFC 7518 section 6.2.1).
///
/// A value may be any pair of coordinates of the right length. ``isOnCurve()`` checks that they are a point of the
/// curve; so does ``isValidSignature(_:for:)``, which is false if they are not.
package struct ECPublicKey: Sendable, Hashable {
    package let curve: ECDSACurve
    /// The x coordinate, big-endian, in the length of the curve.
    package let x: [UInt8]
    /// The y coordinate, big-endian, in the length of the curve.
    package let y: [UInt8]

    /// Takes the coordinates without checking that they are on the curve.
    ///
    /// - Parameters:
    ///   - curve: The curve.
    ///   - x: The x coordinate, big-endian.
    ///   - y: The y coordinate, big-endian.
    /// - Throws: ``CryptoError`` if a coordinate does not have the length of the curve.
    package init(curve: ECDSACurve, x: [UInt8], y: [UInt8]) throws(CryptoError) {
        guard x.count == curve.scalarCount, y.count == curve.scalarCount else {
            throw CryptoError("a coordinate of the key must be \(curve.scalarCount) octets long")
        }
        (self.curve, self.x, self.y) = (curve, x, y)
    }

    /// The uncompressed form of the point (SEC 1 section 2.3.3).
    var uncompressedPoint: [UInt8] { [0x04] + x + y }
}
