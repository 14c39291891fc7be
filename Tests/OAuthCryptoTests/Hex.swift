// SPDX-License-Identifier: Apache-2.0

/// The octets written in hexadecimal, as the specifications print their vectors.
func octets(_ hex: String) -> [UInt8] {
    let digits = hex.utf8.compactMap { digit -> UInt8? in
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
    precondition(digits.count.isMultiple(of: 2), "half an octet")
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
