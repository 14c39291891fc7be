// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// A public key on the curve P-256, as the two coordinates that a JWK carries (RFC 7518 section 6.2.1).
///
/// A value is any pair of 32-octet strings: whether they are a point of the curve is decided by ``isOnCurve()``, and by
/// ``isValidSignature(_:for:)``, which is false for what is not.
package struct P256PublicKey: Sendable, Hashable {
    /// x, most significant octet first.
    package let xBytes: Bytes32
    /// y, most significant octet first.
    package let yBytes: Bytes32

    /// Takes the coordinates without looking at the curve.
    ///
    /// - Parameters:
    ///   - x: The x coordinate, most significant first.
    ///   - y: The y coordinate, most significant first.
    package init(x: Bytes32, y: Bytes32) {
        (xBytes, yBytes) = (x, y)
    }

    /// Takes the coordinates without looking at the curve.
    ///
    /// - Parameters:
    ///   - x: The x coordinate, 32 octets, most significant first.
    ///   - y: The y coordinate, 32 octets, most significant first.
    /// - Throws: ``CryptoError`` when a coordinate is not 32 octets long.
    package init(x: [UInt8], y: [UInt8]) throws(CryptoError) {
        guard let xBytes = x.withSpan({ Bytes32($0) }), let yBytes = y.withSpan({ Bytes32($0) }) else {
            throw CryptoError("a coordinate of a P-256 key must be 32 octets long")
        }
        self.xBytes = xBytes
        self.yBytes = yBytes
    }

    /// The x coordinate: 32 octets, most significant first.
    package var x: [UInt8] { xBytes.bytes }
    /// The y coordinate: 32 octets, most significant first.
    package var y: [UInt8] { yBytes.bytes }

    /// Calls a function with both coordinates, without copying them.
    ///
    /// - Parameter body: Gets x and y, 32 octets each; they are valid only during the call.
    package func withCoordinates(_ body: (Span<UInt8>, Span<UInt8>) -> Void) {
        xBytes.withBytes { x in yBytes.withBytes { body(x, $0) } }
    }

    /// Checks an ES256 signature (RFC 7518 section 3.4).
    ///
    /// The point is checked first: a key that is not on the curve never verifies anything.
    ///
    /// - Parameters:
    ///   - signature: r and s; anything but 64 octets is not valid.
    ///   - message: What was signed, not its digest; it may be empty.
    /// - Returns: Whether the key made the signature for the message.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        signature.withSpan { signature in message.withSpan { isValidSignature(signature, for: $0) } }
    }
}
