// SPDX-License-Identifier: Apache-2.0

/// The name of a signature algorithm, as in the `alg` header parameter (RFC 7518 section 3.1).
///
/// All named values are asymmetric, and a ``JWK`` fits only these. HMAC with a shared secret has its own type,
/// ``MACAlgorithm``.
public struct SignatureAlgorithm: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The registered name, case-sensitive.
    public let rawValue: String

    /// Names an algorithm.
    ///
    /// Whether it is supported is checked when it is used.
    ///
    /// - Parameter rawValue: The registered name, case-sensitive.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// ECDSA on P-256 with SHA-256 (RFC 7518 section 3.4).
    public static let es256 = Self(rawValue: "ES256")
    /// ECDSA on P-384 with SHA-384 (RFC 7518 section 3.4).
    public static let es384 = Self(rawValue: "ES384")
    /// ECDSA on P-521 with SHA-512 (RFC 7518 section 3.4).
    public static let es512 = Self(rawValue: "ES512")
    /// Ed25519 under the name `EdDSA`, for which the key determines the curve (RFC 8037 section 3.1).
    ///
    /// Ed448 is not supported.
    public static let edDSA = Self(rawValue: "EdDSA")
    /// Ed25519 under its fully-specified name (RFC 9864 section 2.2).
    public static let ed25519 = Self(rawValue: "Ed25519")
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 section 3.3).
    public static let rs256 = Self(rawValue: "RS256")
    /// RSASSA-PKCS1-v1_5 with SHA-384 (RFC 7518 section 3.3).
    public static let rs384 = Self(rawValue: "RS384")
    /// RSASSA-PKCS1-v1_5 with SHA-512 (RFC 7518 section 3.3).
    public static let rs512 = Self(rawValue: "RS512")
    /// RSASSA-PSS with SHA-256 and a salt of 32 bytes (RFC 7518 section 3.5).
    public static let ps256 = Self(rawValue: "PS256")
    /// RSASSA-PSS with SHA-384 and a salt of 48 bytes (RFC 7518 section 3.5).
    public static let ps384 = Self(rawValue: "PS384")
    /// RSASSA-PSS with SHA-512 and a salt of 64 bytes (RFC 7518 section 3.5).
    public static let ps512 = Self(rawValue: "PS512")

    /// Every algorithm named here.
    ///
    /// Meant for tools that inspect arbitrary tokens; a server allows only the few it needs.
    public static let all: Set<SignatureAlgorithm> = [
        es256, es384, es512, edDSA, ed25519, rs256, rs384, rs512, ps256, ps384, ps512,
    ]

    /// The registered name.
    public var description: String { rawValue }
}
