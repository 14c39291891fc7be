// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import CryptoKit

/// An Ed25519 private key (RFC 8032 section 5.1.5).
package struct Ed25519PrivateKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    /// The public key of the pair.
    package let publicKey: Ed25519PublicKey

    /// Generates a key with the system's random bytes.
    ///
    /// - Throws: ``CryptoError`` if CryptoKit returns a public key of another length.
    package init() throws(CryptoError) {
        try self.init(Curve25519.Signing.PrivateKey())
    }

    /// Imports a private key, and computes the public key.
    ///
    /// - Parameter rawRepresentation: The seed, 32 bytes of any value.
    /// - Throws: ``CryptoError`` for any other length.
    package init(rawRepresentation: [UInt8]) throws(CryptoError) {
        guard rawRepresentation.count == 32,
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: rawRepresentation)
        else { throw CryptoError("import a private key of Ed25519: it must be 32 octets long") }
        try self.init(key)
    }

    private init(_ key: Curve25519.Signing.PrivateKey) throws(CryptoError) {
        self.key = key
        publicKey = try Ed25519PublicKey(rawRepresentation: [UInt8](key.publicKey.rawRepresentation))
    }

    /// The seed, 32 bytes.
    ///
    /// Wipe it after use.
    package var rawRepresentation: [UInt8] { [UInt8](key.rawRepresentation) }

    /// Signs.
    ///
    /// - Parameter message: The message. It may be empty.
    /// - Returns: R and S, 64 bytes; randomized here, though not on every platform.
    /// - Throws: ``CryptoError`` if CryptoKit cannot sign.
    package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let signature = try? key.signature(for: message) else { throw CryptoError("sign with Ed25519") }
        return [UInt8](signature)
    }
}
#endif
