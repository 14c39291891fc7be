// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// A type of key that tokens can be bound to.
///
/// A `KeyStore` need not support all of them.
///
/// Keys in hardware are usually of type ``p256``, and almost every server with DPoP accepts it.
public struct KeyPairType: Sendable, Hashable, CustomStringConvertible {
    /// The signature algorithm of the key.
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
    /// Ed25519, signing with `EdDSA`, the algorithm name that most servers know.
    public static let ed25519 = Self(.edDSA)
    /// RSA of 3072 bits, signing with PS256.
    ///
    /// Key generation is slow, and proofs are long.
    public static let rsa = Self(.ps256)

    /// All types.
    public static let all: [KeyPairType] = [p256, p384, p521, ed25519, rsa]

    /// The registered name of the algorithm.
    public var description: String { algorithm.rawValue }
}
