// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

/// The name of a MAC algorithm, keyed with a secret that both sides share (RFC 7518 section 3.2).
///
/// This type is separate from ``SignatureAlgorithm``: no allow-list, ``JWK`` or ``JWKSet`` can make a verifier use a
/// public key as a shared secret (RFC 8725 section 2.1).
public struct MACAlgorithm: Sendable, Hashable, CustomStringConvertible {
    /// The registered name, as in the `alg` header parameter.
    public let rawValue: String
    let hash: HashAlgorithm

    private init(_ rawValue: String, _ hash: HashAlgorithm) {
        self.rawValue = rawValue
        self.hash = hash
    }

    /// HMAC with SHA-256; the secret has at least 32 bytes (RFC 7518 section 3.2).
    public static let hs256 = Self("HS256", .sha256)
    /// HMAC with SHA-384; the secret has at least 48 bytes (RFC 7518 section 3.2).
    public static let hs384 = Self("HS384", .sha384)
    /// HMAC with SHA-512; the secret has at least 64 bytes (RFC 7518 section 3.2).
    public static let hs512 = Self("HS512", .sha512)

    /// The minimum length of a secret in bytes: the length of the hash output.
    public var minimumSecretCount: Int { hash.digestCount }

    /// The registered name.
    public var description: String { rawValue }
}
