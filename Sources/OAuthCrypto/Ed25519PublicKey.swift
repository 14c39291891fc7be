// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// An Ed25519 public key (RFC 8032 section 5.1), as in a JWK (RFC 8037 section 2).
package struct Ed25519PublicKey: Sendable, Hashable {
    /// The encoded point: 32 bytes, little-endian.
    package let rawRepresentation: [UInt8]

    /// Takes an encoded point.
    ///
    /// Signature verification checks that a point with this y coordinate exists.
    ///
    /// - Parameter rawRepresentation: The encoded point, 32 bytes.
    /// - Throws: ``CryptoError`` for another count, a y coordinate that is not below the prime (RFC 8032 section
    ///   5.1.3), and points of small order, for which one signature is valid for many messages.
    package init(rawRepresentation: [UInt8]) throws(CryptoError) {
        guard var coordinate = rawRepresentation.withSpan({ Bytes32($0) }) else {
            throw CryptoError("a key of Ed25519 must be 32 octets long")
        }
        coordinate.withMutableBytes { $0[31] &= 0x7F }
        guard Self.isBelowPrime(coordinate) else {
            throw CryptoError("the coordinate of a key of Ed25519 must be below the prime")
        }
        guard !Self.smallOrderCoordinates.contains(coordinate) else {
            throw CryptoError("a key of Ed25519 must not be a point of small order")
        }
        self.rawRepresentation = rawRepresentation
    }

    /// Whether a number of 255 bits, little-endian, is below 2^255 - 19.
    private static func isBelowPrime(_ number: Bytes32) -> Bool {
        number.withBytes { octets in
            guard octets[31] == 0x7F else { return true }
            for index in 1..<31 where octets[index] != 0xFF { return true }
            return octets[0] < 0xED
        }
    }

    /// The y coordinates of the eight points whose order divides 8, little-endian: 0, 1, -1, and those of order 8.
    private static let smallOrderCoordinates: [Bytes32] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
    ].compactMap { $0.withSpan { Bytes32($0) } }
}
