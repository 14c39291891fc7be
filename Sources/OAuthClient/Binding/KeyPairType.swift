// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// A kind of key that tokens can be bound to; a `KeyStore` need not make all of them.
///
/// Keys in hardware are mostly of ``p256``, and every server with DPoP is likely to take it.
public struct KeyPairType: Sendable, Hashable, CustomStringConvertible {
    /// What the key signs with.
    public let algorithm: SignatureAlgorithm

    private init(_ algorithm: SignatureAlgorithm) {
        self.algorithm = algorithm
    }

    /// P-256, signing with ES256.
    public static let p256 = Self(.es256)
    /// P-384, signing with ES384.
    public static let p384 = Self(.es384)
    /// P-521, signing with ES512.
    public static let p521 = Self(.es512)
    /// Ed25519, signing with `EdDSA`, the name that most servers know.
    public static let ed25519 = Self(.edDSA)
    /// RSA of 3072 bits, signing with PS256; made slowly, and its proofs are long.
    public static let rsa = Self(.ps256)

    /// Every kind.
    public static let all: [KeyPairType] = [p256, p384, p521, ed25519, rsa]

    /// The registered name of the algorithm.
    public var description: String { algorithm.rawValue }
}
