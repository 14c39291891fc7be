// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// A private key on the curve P-256, for ES256 signatures (RFC 7518 section 3.4).
///
/// Copies share one key object. Any number of threads may sign with it at the same time.
package struct P256PrivateKey: Sendable {
    private let handle: SigningKeyHandle

    /// The public key of the pair.
    package let publicKey: P256PublicKey

    /// Generates a key with the system's random bytes.
    ///
    /// - Throws: ``CryptoError`` if OpenSSL cannot generate a key.
    package init() throws(CryptoError) {
        try unsafe self.init(EllipticCurve.p256.generateKey())
    }

    /// Imports a private key from its scalar, and computes the public key.
    ///
    /// - Parameter rawRepresentation: The scalar, 32 bytes, big-endian, from 1 to the order of the curve minus 1.
    /// - Throws: ``CryptoError`` for any other length or number.
    package init(rawRepresentation: [UInt8]) throws(CryptoError) {
        try unsafe self.init(EllipticCurve.p256.importKey(rawRepresentation))
    }

    private init(_ key: OpaquePointer?) throws(CryptoError) {
        handle = try unsafe SigningKeyHandle(key, "prepare a P-256 key to sign")
        let (x, y) = try handle.coordinates(on: .p256)
        publicKey = try P256PublicKey(x: x, y: y)
    }

    /// The scalar, 32 bytes, big-endian.
    ///
    /// Wipe it after use.
    package var rawRepresentation: [UInt8] { handle.scalar(on: .p256) }

    /// Signs with ES256.
    ///
    /// - Parameter message: The message, not its digest. It may be empty.
    /// - Returns: r and s, 64 bytes; randomized.
    /// - Throws: ``CryptoError`` if OpenSSL cannot sign.
    package func signature(for message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        guard let signature = sign(SHA256.hash(message)) else { throw OpenSSL.failure("sign with P-256") }
        return signature
    }

    private func sign(_ digest: SHA256Digest) -> [UInt8]? {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ECDSASignatureDER.maximumCount) { der in
            guard let count = digest.withBytes({ unsafe handle.sign($0, into: der) }) else { return nil }
            return unsafe ECDSASignatureDER.decode(Span(_unsafeElements: UnsafeBufferPointer(rebasing: der[..<count])))
        }
    }
}
#endif
