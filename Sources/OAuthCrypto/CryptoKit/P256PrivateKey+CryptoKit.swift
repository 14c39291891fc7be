// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import CryptoKit

/// A private key on the curve P-256, for ES256 signatures (RFC 7518 section 3.4).
package struct P256PrivateKey: Sendable {
    private let key: P256.Signing.PrivateKey

    /// The public key of the pair.
    package let publicKey: P256PublicKey

    /// Generates a key with the system's random bytes.
    ///
    /// - Throws: ``CryptoError`` if CryptoKit returns a public key of another length.
    package init() throws(CryptoError) {
        try self.init(P256.Signing.PrivateKey(compactRepresentable: false))
    }

    /// Imports a private key from its scalar, and computes the public key.
    ///
    /// - Parameter rawRepresentation: The scalar, 32 bytes, big-endian, from 1 to the order of the curve minus 1.
    /// - Throws: ``CryptoError`` for any other length or number.
    package init(rawRepresentation: [UInt8]) throws(CryptoError) {
        guard rawRepresentation.count == 32 else {
            throw CryptoError("import a P-256 private key: it must be 32 octets long")
        }
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: rawRepresentation) else {
            throw CryptoError("import a P-256 private key: it must be at least 1 and below the order of the curve")
        }
        try self.init(key)
    }

    private init(_ key: P256.Signing.PrivateKey) throws(CryptoError) {
        let point = [UInt8](key.publicKey.rawRepresentation)
        self.key = key
        publicKey = try P256PublicKey(x: Array(point.prefix(32)), y: Array(point.dropFirst(32)))
    }

    /// The scalar, 32 bytes, big-endian.
    ///
    /// Wipe it after use.
    package var rawRepresentation: [UInt8] { [UInt8](key.rawRepresentation) }

    /// Signs with ES256.
    ///
    /// - Parameter message: The message, not its digest. It may be empty.
    /// - Returns: r and s, 64 bytes; randomized.
    /// - Throws: ``CryptoError`` if CryptoKit cannot sign.
    package func signature(for message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        let message = unsafe message.withUnsafeBytes { unsafe [UInt8]($0) }
        guard let signature = try? key.signature(for: message) else { throw CryptoError("sign with P-256") }
        return [UInt8](signature.rawRepresentation)
    }
}
#endif
