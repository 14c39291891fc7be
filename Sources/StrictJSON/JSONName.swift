// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// The name of a member to look up, with its first eight bytes as an integer.
///
/// One load compares most names; a proof is searched for about twenty names. The value is built and inlined where its
/// literal is, so no work remains at run time.
///
/// Safe although it holds a pointer: to a literal, or to bytes that are valid during the call that lends them.
@safe
@usableFromInline
package struct JSONName: ExpressibleByStringLiteral, Equatable {
    @usableFromInline
    let bytes: UnsafeBufferPointer<UInt8>
    /// The first bytes, at most eight, little-endian.
    @usableFromInline
    let prefix: UInt64
    /// A mask of the bits of these bytes.
    @usableFromInline
    let mask: UInt64

    /// Creates a name from a literal.
    @inlinable
    @inline(__always)
    package init(stringLiteral name: StaticString) {
        unsafe self.init(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    /// Calls a function with a name made of bytes.
    static func with<Value>(_ bytes: Span<UInt8>, _ body: (JSONName) -> Value) -> Value {
        unsafe bytes.withUnsafeBufferPointer { unsafe body(made(of: $0)) }
    }

    /// A name that is not a literal cannot be prepared at compile time.
    @inline(never)
    private static func made(of bytes: UnsafeBufferPointer<UInt8>) -> JSONName { unsafe JSONName(bytes) }

    @inlinable
    @inline(__always)
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.bytes = bytes
        var prefix: UInt64 = 0
        let count = min(8, bytes.count)
        for index in 0..<count { prefix |= unsafe UInt64(bytes[index]) &<< UInt64(8 &* index) }
        self.prefix = prefix
        // A shift by 64, for the empty name, leaves no bit.
        mask = UInt64.max >> UInt64(64 - 8 * count)
    }

    /// A name of `count` bytes at an address.
    ///
    /// Seven more bytes must be readable.
    init(padded text: UnsafePointer<UInt8>, count: Int) {
        unsafe bytes = UnsafeBufferPointer(start: text, count: count)
        mask = UInt64.max >> UInt64(64 - 8 * min(8, count))
        // All platforms of this package are little-endian.
        prefix = unsafe UnsafeRawPointer(text).loadUnaligned(as: UInt64.self) & mask
    }

    /// The number of bytes in the name.
    var count: Int { unsafe bytes.count }

    package var text: String { unsafe String(decoding: bytes, as: UTF8.self) }

    /// Whether the bytes at an address equal the name.
    ///
    /// Seven more bytes must be readable.
    func isSame(as text: UnsafePointer<UInt8>) -> Bool {
        // All platforms of this package are little-endian.
        let word = unsafe UnsafeRawPointer(text).loadUnaligned(as: UInt64.self)
        guard (word ^ prefix) & mask == 0 else { return false }
        var index = 8
        while index < count {
            if unsafe text[index] != bytes[index] { return false }
            index += 1
        }
        return true
    }

    /// Whether two names have the same bytes.
    @inlinable
    package static func == (left: JSONName, right: JSONName) -> Bool {
        guard left.prefix == right.prefix, left.mask == right.mask else { return false }
        return left.mask != .max || left.hasSameRest(as: right)
    }

    @usableFromInline
    func hasSameRest(as other: JSONName) -> Bool {
        unsafe isIdentical(to: Span(_unsafeElements: other.bytes))
    }

    /// Whether the bytes equal the name.
    func isIdentical(to text: Span<UInt8>) -> Bool {
        unsafe Span(_unsafeElements: bytes).isIdentical(to: text)
    }
}
