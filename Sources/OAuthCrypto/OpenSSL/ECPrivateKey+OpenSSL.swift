// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// A private key on P-384 or P-521, for ES384 and ES512 signatures (RFC 7518 section 3.4).
///
/// Copies share one key object. Any number of threads may sign with it at the same time.
package struct ECPrivateKey: Sendable {
    private let handle: SigningKeyHandle

    /// The public key of the pair.
    package let publicKey: ECPublicKey

    /// Generates a key with the system's random bytes.
    ///
    /// - Parameter curve: The curve.
    /// - Throws: ``CryptoError`` if OpenSSL cannot generate a key.
    package init(generating curve: ECDSACurve) throws(CryptoError) {
        try unsafe self.init(curve.ellipticCurve.generateKey(), curve)
    }

    /// Imports a private key from its scalar, and computes the public key.
    ///
    /// - Parameters:
    ///   - rawRepresentation: The scalar, as long as a coordinate, big-endian, from 1 to the order minus 1.
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

    /// The scalar, as long as a coordinate, big-endian.
    ///
    /// Wipe it after use.
    package var rawRepresentation: [UInt8] { handle.scalar(on: publicKey.curve.ellipticCurve) }

    /// Signs with ES384 or ES512, depending on the curve.
    ///
    /// - Parameter message: The message, not its digest. It may be empty.
    /// - Returns: r and s, each as long as a coordinate; randomized.
    /// - Throws: ``CryptoError`` if OpenSSL cannot sign.
    package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        let curve = publicKey.curve
        guard let der = handle.sign(curve.hash.hash(message)), let raw = curve.decodeSignature(der: der) else {
            throw OpenSSL.failure("sign with an elliptic curve")
        }
        return raw
    }
}
#endif
