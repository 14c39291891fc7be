// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import CryptoKit

/// A private key on P-384 or P-521, for ES384 and ES512 signatures (RFC 7518 section 3.4).
package struct ECPrivateKey: Sendable {
    private enum Key: Sendable {
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
    }

    private let key: Key

    /// The public key of the pair.
    package let publicKey: ECPublicKey

    /// Generates a key with the system's random bytes.
    ///
    /// - Parameter curve: The curve.
    /// - Throws: ``CryptoError`` if CryptoKit returns a public key of another length.
    package init(generating curve: ECDSACurve) throws(CryptoError) {
        switch curve {
        case .p384: try self.init(.p384(P384.Signing.PrivateKey(compactRepresentable: false)))
        case .p521: try self.init(.p521(P521.Signing.PrivateKey(compactRepresentable: false)))
        }
    }

    /// Imports a private key from its scalar, and computes the public key.
    ///
    /// - Parameters:
    ///   - rawRepresentation: The scalar, as long as a coordinate, big-endian, from 1 to the order minus 1.
    ///   - curve: The curve.
    /// - Throws: ``CryptoError`` for any other length or value.
    package init(rawRepresentation: [UInt8], curve: ECDSACurve) throws(CryptoError) {
        guard rawRepresentation.count == curve.scalarCount else {
            throw CryptoError("import a private key: it must be \(curve.scalarCount) octets long")
        }
        let key: Key? =
            switch curve {
            case .p384: (try? P384.Signing.PrivateKey(rawRepresentation: rawRepresentation)).map(Key.p384)
            case .p521: (try? P521.Signing.PrivateKey(rawRepresentation: rawRepresentation)).map(Key.p521)
            }
        guard let key else {
            throw CryptoError("import a private key: it must be at least 1 and below the order of the curve")
        }
        try self.init(key)
    }

    private init(_ key: Key) throws(CryptoError) {
        self.key = key
        let (curve, point): (ECDSACurve, [UInt8]) =
            switch key {
            case .p384(let key): (.p384, [UInt8](key.publicKey.rawRepresentation))
            case .p521(let key): (.p521, [UInt8](key.publicKey.rawRepresentation))
            }
        publicKey = try ECPublicKey(
            curve: curve,
            x: Array(point.prefix(curve.scalarCount)),
            y: Array(point.dropFirst(curve.scalarCount))
        )
    }

    /// The scalar, as long as a coordinate, big-endian.
    ///
    /// Wipe it after use.
    package var rawRepresentation: [UInt8] {
        switch key {
        case .p384(let key): [UInt8](key.rawRepresentation)
        case .p521(let key): [UInt8](key.rawRepresentation)
        }
    }

    /// Signs with ES384 or ES512, depending on the curve.
    ///
    /// - Parameter message: The message, not its digest. It may be empty.
    /// - Returns: r and s, each as long as a coordinate; randomized.
    /// - Throws: ``CryptoError`` if CryptoKit cannot sign.
    package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        let signature: [UInt8]? =
            switch key {
            case .p384(let key): (try? key.signature(for: message)).map { [UInt8]($0.rawRepresentation) }
            case .p521(let key): (try? key.signature(for: message)).map { [UInt8]($0.rawRepresentation) }
            }
        guard let signature else { throw CryptoError("sign with an elliptic curve") }
        return signature
    }
}
#endif
