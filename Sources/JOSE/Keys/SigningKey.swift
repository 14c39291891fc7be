// SPDX-License-Identifier: Apache-2.0

/// A private key that signs, wherever it lives.
///
/// Signing is asynchronous because hardware is slow; a software key answers without suspending.
public protocol SigningKey: Sendable {
    /// The public half.
    var publicKey: JWK { get }
    /// The one algorithm that the key signs with.
    var algorithm: SignatureAlgorithm { get }
    /// How hard the private half is to copy.
    var protection: KeyProtection { get }

    /// Signs a message.
    ///
    /// - Parameter message: The JWS signing input, unhashed.
    /// - Returns: The signature in the form of JWS: for ES256 the 64 bytes r‖s (RFC 7518 section 3.4).
    /// - Throws: An error of the place where the key lives.
    func sign(_ message: [UInt8]) async throws -> [UInt8]
}
