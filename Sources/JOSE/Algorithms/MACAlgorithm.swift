// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

/// The name of an algorithm that makes codes with a secret both sides know (RFC 7518 section 3.2).
///
/// A type apart from ``SignatureAlgorithm``, so that no allow-list, no ``JWK`` and no ``JWKSet`` can lead a verifier to
/// take the public key of an asymmetric pair for a shared secret (RFC 8725 section 2.1).
public struct MACAlgorithm: Sendable, Hashable, CustomStringConvertible {
    /// The registered name, as in the `alg` header parameter.
    public let rawValue: String
    let hash: HashAlgorithm

    private init(_ rawValue: String, _ hash: HashAlgorithm) {
        self.rawValue = rawValue
        self.hash = hash
    }

    /// HMAC with SHA-256; the secret has at least 32 bytes.
    public static let hs256 = Self("HS256", .sha256)
    /// HMAC with SHA-384; the secret has at least 48 bytes.
    public static let hs384 = Self("HS384", .sha384)
    /// HMAC with SHA-512; the secret has at least 64 bytes.
    public static let hs512 = Self("HS512", .sha512)

    /// The fewest bytes that a secret must have: as many as the hash function gives.
    public var minimumSecretCount: Int { hash.digestCount }

    /// The registered name.
    public var description: String { rawValue }
}
