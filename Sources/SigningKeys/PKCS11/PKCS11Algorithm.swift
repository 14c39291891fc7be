// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import JOSE
import OAuthCrypto

/// The PKCS #11 mechanisms and attributes of an algorithm.
enum PKCS11Algorithm: Sendable, Hashable, CaseIterable {
    case es256
    case es384
    case rs256
    case ps256

    init?(_ algorithm: SignatureAlgorithm) {
        guard let found = Self.allCases.first(where: { $0.name == algorithm }) else { return nil }
        self = found
    }

    /// The algorithm of a key with this type and `CKA_EC_PARAMS`; `rsa` is the known or requested algorithm of an RSA
    /// key.
    init?(keyType: CK_KEY_TYPE, parameters: [UInt8]?, rsa: SignatureAlgorithm?) {
        let all = Self.allCases.filter { $0.keyType == keyType }
        switch keyType {
        case CKK_EC:
            guard let found = all.first(where: { $0.parameters == parameters }) else { return nil }
            self = found
        case CKK_RSA: self = all.first { $0.name == rsa } ?? .rs256
        default: return nil
        }
    }

    var name: SignatureAlgorithm {
        switch self {
        case .es256: .es256
        case .es384: .es384
        case .rs256: .rs256
        case .ps256: .ps256
        }
    }

    var keyType: CK_KEY_TYPE { parameters == nil ? CKK_RSA : CKK_EC }

    /// `CKA_EC_PARAMS`: the name of the curve, an object identifier in DER (RFC 5480 section 2.1.1.1).
    var parameters: [UInt8]? {
        switch self {
        case .es256: [0x06, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .es384: [0x06, 5, 0x2B, 0x81, 0x04, 0x00, 0x22]
        case .rs256, .ps256: nil
        }
    }

    /// The size of a coordinate in bytes; `nil` for RSA.
    var coordinateCount: Int? {
        switch self {
        case .es256: 32
        case .es384: 48
        case .rs256, .ps256: nil
        }
    }

    var generation: CK_MECHANISM_TYPE { keyType == CKK_RSA ? CKM_RSA_PKCS_KEY_PAIR_GEN : CKM_EC_KEY_PAIR_GEN }

    var mechanism: CK_MECHANISM_TYPE {
        switch self {
        case .es256, .es384: CKM_ECDSA
        case .rs256: CKM_RSA_PKCS
        case .ps256: CKM_RSA_PKCS_PSS
        }
    }

    /// The input for the token: every token signs a digest, but only some hash messages.
    func input(for message: [UInt8]) -> [UInt8] {
        switch self {
        case .es256, .ps256: HashAlgorithm.sha256.hash(message)
        case .es384: HashAlgorithm.sha384.hash(message)
        case .rs256: Self.sha256DigestInfo + HashAlgorithm.sha256.hash(message)
        }
    }

    /// The start of a `DigestInfo` of SHA-256 (RFC 8017 section 9.2, note 1).
    private static let sha256DigestInfo: [UInt8] = [
        0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04,
        0x20,
    ]
}
#endif
