// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// A private key on P-384 or P-521, for ES384 and ES512 signatures (RFC 7518 section 3.4).
///
/// Copies share one key object; any number of threads may sign with it at once.
package struct ECPrivateKey: Sendable {
    private let handle: SigningKeyHandle

    /// The public key that belongs to it.
    package let publicKey: ECPublicKey

    /// Makes a new key from the system's random octets.
    ///
    /// - Parameter curve: The curve.
    /// - Throws: ``CryptoError`` when OpenSSL makes none.
    package init(generating curve: ECDSACurve) throws(CryptoError) {
        try unsafe self.init(curve.ellipticCurve.generateKey(), curve)
    }

    /// Takes a private key as a number; the public key is computed from it.
    ///
    /// - Parameters:
    ///   - rawRepresentation: As long as a coordinate, most significant octet first, from 1 to the order minus 1.
    ///   - curve: The curve.
    /// - Throws: ``CryptoError`` for any other length or number.
    package init(rawRepresentation: [UInt8], curve: ECDSACurve) throws(CryptoError) {
        try unsafe self.init(curve.ellipticCurve.importKey(rawRepresentation), curve)
    }

    private init(_ key: OpaquePointer?, _ curve: ECDSACurve) throws(CryptoError) {
        handle = try unsafe SigningKeyHandle(key, "prepare a key on an elliptic curve to sign")
        let (x, y) = try handle.coordinates(on: curve.ellipticCurve)
        publicKey = try ECPublicKey(curve: curve, x: x, y: y)
    }

    /// The private key as a number, as long as a coordinate, most significant octet first.
    ///
    /// Wipe it after use.
    package var rawRepresentation: [UInt8] { handle.scalar(on: publicKey.curve.ellipticCurve) }

    /// Signs with ES384 or ES512, as the curve says.
    ///
    /// - Parameter message: What to sign, not its digest; it may be empty.
    /// - Returns: r and s, each as long as a coordinate; another signature each time.
    /// - Throws: ``CryptoError`` when OpenSSL does not sign.
    package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        let curve = publicKey.curve
        guard let der = handle.sign(curve.hash.hash(message)), let raw = curve.decodeSignature(der: der) else {
            throw OpenSSL.failure("sign with an elliptic curve")
        }
        return raw
    }
}
#endif
