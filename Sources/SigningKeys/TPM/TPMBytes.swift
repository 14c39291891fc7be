// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// The TPM's encoding of structures: big-endian numbers, buffers with a size prefix (TPM 2.0 Part 1 section 31).
enum TPMBytes {
    static func of(_ number: some FixedWidthInteger) -> [UInt8] {
        number.bigEndianBytes
    }

    /// Bytes with a size prefix.
    static func sized(_ octets: [UInt8]) -> [UInt8] {
        of(UInt16(octets.count)) + octets
    }

    /// Takes bytes with a size prefix; `nil` if there are too few.
    static func takeSized(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let high = bytes.popFirst(), let low = bytes.popFirst() else { return nil }
        let count = Int(high) << 8 | Int(low)
        guard count <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    /// A number with the leading zeros that TPMs may omit.
    static func padded(_ octets: [UInt8], to count: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: max(0, count - octets.count)) + octets
    }
}
