// SPDX-License-Identifier: Apache-2.0

/// A private key that signs, in software or in hardware.
///
/// Signing is asynchronous because hardware is slow. A software key signs without suspending.
public protocol SigningKey: Sendable {
    /// The public half, as others verify signatures with it.
    var publicKey: JWK { get }
    /// The only algorithm that the key signs with.
    var algorithm: SignatureAlgorithm { get }
    /// How well the private key is protected against copying.
    var protection: KeyProtection { get }

    /// Signs a message.
    ///
    /// - Parameter message: The JWS signing input, unhashed.
    /// - Returns: The signature in the JWS format; for ES256, the 64 bytes r‖s (RFC 7518 section 3.4).
    /// - Throws: An error of the key's provider.
    func sign(_ message: [UInt8]) async throws -> [UInt8]
}
