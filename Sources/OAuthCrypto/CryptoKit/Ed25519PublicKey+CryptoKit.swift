// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import CryptoKit

extension Ed25519PublicKey {
    /// Verifies an Ed25519 signature (RFC 8032 section 5.1.7, RFC 8037 section 3.1).
    ///
    /// - Parameters:
    ///   - signature: R and S, 64 bytes. Any other length is invalid, as is an S that is not below the order.
    ///   - message: The signed message. It may be empty.
    /// - Returns: Whether the key made the signature for the message.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard signature.count == 64,
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: rawRepresentation)
        else { return false }
        return key.isValidSignature(signature, for: message)
    }
}
#endif
