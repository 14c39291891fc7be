// SPDX-License-Identifier: Apache-2.0

extension FixedWidthInteger {
    /// The bytes of the integer in big-endian order, as many as its type has.
    package var bigEndianBytes: [UInt8] {
        stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}
