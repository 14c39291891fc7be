// SPDX-License-Identifier: Apache-2.0

/// Thirty-two bytes stored inline: a digest or a coordinate without an allocation.
///
/// The words store the bytes in memory order, so the memory of the value is exactly these bytes.
@usableFromInline package struct Bytes32: Hashable, Sendable {
    @usableFromInline
    package private(set) var word0: UInt64 = 0
    @usableFromInline
    package private(set) var word1: UInt64 = 0
    @usableFromInline
    package private(set) var word2: UInt64 = 0
    @usableFromInline
    package private(set) var word3: UInt64 = 0

    /// Thirty-two zero bytes.
    package init() {}

    /// Copies exactly 32 bytes; `nil` for any other count.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 32 else { return nil }
        let raw = unsafe bytes.bytes
        word0 = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt64.self)
        word1 = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: 8, as: UInt64.self)
        word2 = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: 16, as: UInt64.self)
        word3 = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: 24, as: UInt64.self)
    }

    /// The bytes in reverse order.
    package var reversed: Bytes32 {
        var other = Bytes32()
        (other.word0, other.word1) = (word3.byteSwapped, word2.byteSwapped)
        (other.word2, other.word3) = (word1.byteSwapped, word0.byteSwapped)
        return other
    }

    package var bytes: [UInt8] {
        unsafe Swift.withUnsafeBytes(of: self) { unsafe [UInt8]($0) }
    }

    @inlinable
    package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        unsafe Swift.withUnsafeBytes(of: self) { raw in
            unsafe body(Span(_unsafeElements: raw.assumingMemoryBound(to: UInt8.self)))
        }
    }

    @inlinable
    package mutating func withMutableBytes<Result>(_ body: (inout MutableSpan<UInt8>) -> Result) -> Result {
        unsafe Swift.withUnsafeMutableBytes(of: &self) { raw in
            var span = unsafe MutableSpan<UInt8>(_unsafeElements: raw.assumingMemoryBound(to: UInt8.self))
            return body(&span)
        }
    }

    /// Compares two values in constant time.
    package static func areEqualInConstantTime(_ left: Bytes32, _ right: Bytes32) -> Bool {
        let difference =
            (left.word0 ^ right.word0) | (left.word1 ^ right.word1)
            | (left.word2 ^ right.word2) | (left.word3 ^ right.word3)
        return difference == 0
    }
}
