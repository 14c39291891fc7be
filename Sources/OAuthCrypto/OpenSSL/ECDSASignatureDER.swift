// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The two forms of an ECDSA signature on P-256: r and s of 32 octets each (RFC 7518 section 3.4), which JWS wants, and
/// the DER `SEQUENCE` of two `INTEGER`s (RFC 3279 section 2.2.3), which OpenSSL wants.
enum ECDSASignatureDER {
    /// The longest form: two integers of 33 octets, each with a header, and the header of the sequence.
    static let maximumCount = 72
    private static let rawCount = 64
    private static let halfCount = 32
    private static let integerTag: UInt8 = 0x02
    private static let sequenceTag: UInt8 = 0x30

    /// The DER form.
    ///
    /// - Parameter raw: r and s, 64 octets.
    /// - Returns: `nil` when the count is not 64, or r or s is zero.
    static func encode(raw: Span<UInt8>) -> [UInt8]? {
        guard raw.count == rawCount else { return nil }
        var der: [UInt8] = []
        der.reserveCapacity(maximumCount)
        der.append(sequenceTag)
        der.append(0)
        guard appendInteger(raw.extracting(0..<halfCount), to: &der),
            appendInteger(raw.extracting(halfCount..<rawCount), to: &der)
        else { return nil }
        der[1] = UInt8(der.count - 2)
        return der
    }

    /// The raw form: each integer without its sign octet, filled with zeros on the left.
    ///
    /// - Parameter der: What OpenSSL made.
    /// - Returns: 64 octets; `nil` when it is not a sequence of two positive integers of at most 256 bits.
    static func decode(_ der: Span<UInt8>) -> [UInt8]? {
        guard der.count >= 8, der.count <= maximumCount, der[0] == sequenceTag, Int(der[1]) == der.count - 2 else {
            return nil
        }
        var raw = [UInt8](repeating: 0, count: rawCount)
        guard let middle = copyInteger(der, at: 2, endingAt: halfCount, of: &raw),
            let end = copyInteger(der, at: middle, endingAt: rawCount, of: &raw),
            end == der.count
        else { return nil }
        return raw
    }

    private static func appendInteger(_ number: Span<UInt8>, to der: inout [UInt8]) -> Bool {
        guard let first = number.indices.first(where: { number[$0] != 0 }) else { return false }
        let needsSignOctet = number[first] & 0x80 != 0
        der.append(integerTag)
        der.append(UInt8(number.count - first) + (needsSignOctet ? 1 : 0))
        if needsSignOctet { der.append(0) }
        for index in first..<number.count { der.append(number[index]) }
        return true
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
        let start = end - (next - first)
        for index in first..<next { raw[start + index - first] = der[index] }
        return next
    }
}
#endif
