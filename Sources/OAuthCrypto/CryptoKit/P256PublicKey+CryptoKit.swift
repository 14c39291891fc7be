// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import CryptoKit

extension P256PublicKey {
    /// Whether the coordinates are below the field's prime and satisfy the equation of the curve.
    ///
    /// - Returns: Also false for the point at infinity, which has no coordinates.
    package func isOnCurve() -> Bool {
        imported() != nil
    }

    /// Verifies an ES256 signature (RFC 7518 section 3.4).
    ///
    /// The point is checked first: a key that is not on the curve verifies no signature.
    ///
    /// - Parameters:
    ///   - signature: r and s, 64 bytes; any other length is invalid.
    ///   - message: The signed message, not its digest. It may be empty.
    /// - Returns: Whether the key made the signature for the message.
    package func isValidSignature(_ signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        guard signature.count == 64, let key = imported() else { return false }
        let raw = unsafe signature.withUnsafeBytes { unsafe [UInt8]($0) }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw) else { return false }
        return key.isValidSignature(signature, for: unsafe message.withUnsafeBytes { unsafe [UInt8]($0) })
    }

    private func imported() -> P256.Signing.PublicKey? {
        try? P256.Signing.PublicKey(rawRepresentation: x + y)
    }
}
#endif
