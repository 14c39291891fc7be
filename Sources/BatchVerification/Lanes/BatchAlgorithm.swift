// SPDX-License-Identifier: Apache-2.0

/// The signature algorithms that can be verified in batches.
enum BatchAlgorithm: Int, Sendable, Hashable, CaseIterable {
    /// ECDSA on P-256 with SHA-256.
    case es256
    /// ECDSA on P-384 with SHA-384.
    case es384
    /// Ed25519.
    case ed25519

    /// The length of r, s, a digest and a coordinate, or of R, S and an encoded point, in bytes.
    var size: Int { self == .es384 ? 48 : 32 }

    /// The order of the group, big-endian: a scalar in a signature is below it.
    var order: [UInt8] {
        switch self {
        case .es256: Self.p256Order
        case .es384: Self.p384Order
        case .ed25519: Self.ed25519Order
        }
    }

    /// SP 800-186 section 3.2.1.3.
    private static let p256Order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
    /// SP 800-186 section 3.2.1.4.
    private static let p384Order: [UInt8] =
        [UInt8](repeating: 0xFF, count: 24) + [
            0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF, 0x58, 0x1A, 0x0D, 0xB2,
            0x48, 0xB0, 0xA7, 0x7A, 0xEC, 0xEC, 0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
        ]
    /// RFC 8032 section 5.1: 2^252 + 27742317777372353535851937790883648493.
    private static let ed25519Order: [UInt8] =
        [0x10] + [UInt8](repeating: 0, count: 15) + [
            0x14, 0xDE, 0xF9, 0xDE, 0xA2, 0xF7, 0x9C, 0xD6, 0x58, 0x12, 0x63, 0x1A, 0x5C, 0xF5, 0xD3, 0xED,
        ]
}
