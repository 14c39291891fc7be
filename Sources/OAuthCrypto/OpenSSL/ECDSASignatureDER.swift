// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

#if os(Linux)
/// Converts between the two forms of a P-256 signature.
///
/// JWS uses r and s of 32 bytes each (RFC 7518 section 3.4). OpenSSL uses a DER `SEQUENCE` of two `INTEGER`s (RFC 3279
/// section 2.2.3).
enum ECDSASignatureDER {
    /// The maximum length: two integers of 33 bytes, each with a header, and the header of the sequence.
    static let maximumCount = 72
    private static let rawCount = 64
    private static let halfCount = 32
    private static let integerTag: UInt8 = 0x02
    private static let sequenceTag: UInt8 = 0x30

    /// Writes the DER form.
    ///
    /// - Parameters:
    ///   - raw: r and s, 64 bytes.
    ///   - target: Space for ``maximumCount`` bytes.
    /// - Returns: The number of bytes written; `nil` if the length is not 64, or r or s is zero.
    static func encode(raw: Span<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        guard raw.count == rawCount,
            let middle = unsafe writeInteger(raw.extracting(0..<halfCount), to: target, at: 2),
            let end = unsafe writeInteger(raw.extracting(halfCount..<rawCount), to: target, at: middle)
        else { return nil }
        unsafe target[0] = sequenceTag
        unsafe target[1] = UInt8(end - 2)
        return end
    }

    /// The raw form: each integer without its sign byte, padded with zeros on the left.
    ///
    /// - Parameter der: A signature from OpenSSL.
    /// - Returns: 64 bytes; `nil` if it is not a sequence of two positive integers of at most 256 bits.
    static func decode(_ der: Span<UInt8>) -> [UInt8]? {
        guard der.count >= 8, der.count <= maximumCount, der[0] == sequenceTag, Int(der[1]) == der.count - 2 else {
            return nil
        }
        var raw = [UInt8](zeros: rawCount)
        guard let middle = copyInteger(der, at: 2, endingAt: halfCount, of: &raw),
            let end = copyInteger(der, at: middle, endingAt: rawCount, of: &raw),
            end == der.count
        else { return nil }
        return raw
    }

    /// Writes an integer without leading zeros, with a zero byte first if the high bit is set.
    ///
    /// Returns where the next one begins.
    private static func writeInteger(
        _ number: Span<UInt8>,
        to target: UnsafeMutableBufferPointer<UInt8>,
        at start: Int
    ) -> Int? {
        var first = 0
        while first < halfCount, number[first] == 0 { first += 1 }
        guard first < halfCount else { return nil }
        let signCount = number[first] >= 0x80 ? 1 : 0
        let count = signCount + halfCount - first
        unsafe target[start] = integerTag
        unsafe target[start + 1] = UInt8(count)
        // Overwritten if the number needs no sign byte.
        unsafe target[start + 2] = 0
        unsafe number.extracting(first...).withUnsafeBufferPointer { digits in
            let place = unsafe UnsafeMutableBufferPointer(rebasing: target[(start + 2 + signCount)...])
            _ = unsafe place.update(fromContentsOf: digits)
        }
        return start + 2 + count
    }

    private static func copyInteger(
        _ der: Span<UInt8>,
        at offset: Int,
        endingAt end: Int,
        of raw: inout [UInt8]
    ) -> Int? {
        guard offset + 2 < der.count, der[offset] == integerTag else { return nil }
        var first = offset + 2
        let next = first + Int(der[offset + 1])
        guard next > first, next <= der.count else { return nil }
        while first < next, der[first] == 0 { first += 1 }
        guard next - first <= halfCount else { return nil }
        unsafe der.extracting(first..<next).withUnsafeBufferPointer { digits in
            unsafe raw.withUnsafeMutableBufferPointer { raw in
                let place = unsafe UnsafeMutableBufferPointer(rebasing: raw[(end - digits.count)..<end])
                _ = unsafe place.update(fromContentsOf: digits)
            }
        }
        return next
    }
}
#endif
