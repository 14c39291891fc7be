// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// A public key on P-256: the two coordinates of a JWK (RFC 7518 section 6.2.1).
///
/// A value may be any pair of 32-byte strings. ``isOnCurve()`` checks that they are a point of the curve; so does
/// ``isValidSignature(_:for:)``, which is false if they are not.
package struct P256PublicKey: Sendable, Hashable {
    /// The x coordinate, big-endian.
    package let xBytes: Bytes32
    /// The y coordinate, big-endian.
    package let yBytes: Bytes32

    /// Takes the coordinates without checking that they are on the curve.
    ///
    /// - Parameters:
    ///   - x: The x coordinate, big-endian.
    ///   - y: The y coordinate, big-endian.
    package init(x: Bytes32, y: Bytes32) {
        (xBytes, yBytes) = (x, y)
    }

    /// Takes the coordinates without checking that they are on the curve.
    ///
    /// - Parameters:
    ///   - x: The x coordinate, 32 bytes, big-endian.
    ///   - y: The y coordinate, 32 bytes, big-endian.
    /// - Throws: ``CryptoError`` if a coordinate is not 32 bytes long.
    package init(x: [UInt8], y: [UInt8]) throws(CryptoError) {
        guard let xBytes = x.withSpan({ Bytes32($0) }), let yBytes = y.withSpan({ Bytes32($0) }) else {
            throw CryptoError("a coordinate of a P-256 key must be 32 octets long")
        }
        self.xBytes = xBytes
        self.yBytes = yBytes
    }

    /// The x coordinate: 32 bytes, big-endian.
    package var x: [UInt8] { xBytes.bytes }
    /// The y coordinate: 32 bytes, big-endian.
    package var y: [UInt8] { yBytes.bytes }

    /// Calls a function with both coordinates, without copying them.
    ///
    /// - Parameter body: Receives x and y, 32 bytes each, which are valid only during the call.
    package func withCoordinates(_ body: (Span<UInt8>, Span<UInt8>) -> Void) {
        xBytes.withBytes { x in yBytes.withBytes { body(x, $0) } }
    }

    /// Verifies an ES256 signature (RFC 7518 section 3.4).
    ///
    /// The point is checked first: a key that is not on the curve verifies no signature.
    ///
    /// - Parameters:
    ///   - signature: r and s, 64 bytes; any other length is invalid.
    ///   - message: The signed message, not its digest. It may be empty.
    /// - Returns: Whether the key made the signature for the message.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        signature.withSpan { signature in message.withSpan { isValidSignature(signature, for: $0) } }
    }
}
