// SPDX-License-Identifier: Apache-2.0

/// The order n of the curve P-256, for the second signature that every ECDSA signature (r, s) has: (r, n - s).
package enum P256Order {
    private static let octets: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// n minus a smaller number, both of 32 bytes.
    package static func minus(_ number: some Collection<UInt8>) -> [UInt8] {
        var borrow = 0
        let reversed = zip(octets.reversed(), number.reversed()).map { left, right in
            let difference = Int(left) - Int(right) - borrow
            borrow = difference < 0 ? 1 : 0
            return UInt8(truncatingIfNeeded: difference)
        }
        return reversed.reversed()
    }
}
