// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CTSS2
import JOSE
import OAuthCrypto
import StrictJSON

/// The key types that are used in a TPM.
enum TPMCurve: CaseIterable {
    case p256
    case p384

    init?(_ algorithm: SignatureAlgorithm) {
        guard let curve = Self.allCases.first(where: { $0.algorithm == algorithm }) else { return nil }
        self = curve
    }

    var algorithm: SignatureAlgorithm {
        switch self {
        case .p256: .es256
        case .p384: .es384
        }
    }

    /// The size of a coordinate, of r and of s, in bytes.
    var scalarCount: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        }
    }

    var hash: HashAlgorithm {
        switch self {
        case .p256: .sha256
        case .p384: .sha384
        }
    }

    var curveID: TPM2_ECC_CURVE {
        switch self {
        case .p256: TPM2_ECC_NIST_P256
        case .p384: TPM2_ECC_NIST_P384
        }
    }

    var hashID: TPM2_ALG_ID {
        switch self {
        case .p256: TPM2_ALG_SHA256
        case .p384: TPM2_ALG_SHA384
        }
    }

    /// The public key with these coordinates, if they are a point of the curve.
    func publicKey(x: [UInt8], y: [UInt8]) throws(JOSEError) -> JWK {
        try JWK(parsing: [
            "kty": "EC", "crv": .string(self == .p256 ? "P-256" : "P-384"), "x": .string(Base64URL.encode(x)),
            "y": .string(Base64URL.encode(y)),
        ])
    }
}
#endif
