// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import CryptoKit

extension ECPublicKey {
    /// Whether the coordinates are below the field's prime and satisfy the equation of the curve.
    ///
    /// - Returns: Also false for the point at infinity, which has no coordinates.
    package func isOnCurve() -> Bool {
        switch curve {
        case .p384: (try? P384.Signing.PublicKey(rawRepresentation: x + y)) != nil
        case .p521: (try? P521.Signing.PublicKey(rawRepresentation: x + y)) != nil
        }
    }

    /// Verifies an ES384 or ES512 signature (RFC 7518 section 3.4).
    ///
    /// The point is checked first: a key that is not on the curve verifies no signature.
    ///
    /// - Parameters:
    ///   - signature: r and s, each as long as a coordinate. Any other length is invalid.
    ///   - message: The signed message, not its digest. It may be empty.
    /// - Returns: Whether the key made the signature for the message.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard signature.count == 2 * curve.scalarCount else { return false }
        switch curve {
        case .p384:
            guard let key = try? P384.Signing.PublicKey(rawRepresentation: x + y),
                let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case .p521:
            guard let key = try? P521.Signing.PublicKey(rawRepresentation: x + y),
                let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: message)
        }
    }
}
#endif
