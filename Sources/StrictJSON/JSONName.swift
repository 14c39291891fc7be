// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// The name of a member that is looked for, with its first eight bytes as a number: compared with one load, where a proof
/// is asked for some twenty names.
///
/// Made where the literal stands, and inlined there, so that nothing of it is left to be done when the program runs.
///
/// Safe although it holds a pointer: of a name that the program holds, or inside the call that lends the bytes.
@safe
@usableFromInline
package struct JSONName: ExpressibleByStringLiteral, Equatable {
    @usableFromInline
    let bytes: UnsafeBufferPointer<UInt8>
    /// The first bytes, at most eight, the first of them lowest.
    @usableFromInline
    let prefix: UInt64
    /// The bits of these bytes.
    @usableFromInline
    let mask: UInt64

    /// The name that a literal is.
    @inlinable
    @inline(__always)
    package init(stringLiteral name: StaticString) {
        unsafe self.init(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    /// Calls a function with the name that bytes are.
    static func with<Value>(_ bytes: Span<UInt8>, _ body: (JSONName) -> Value) -> Value {
        unsafe bytes.withUnsafeBufferPointer { unsafe body(made(of: $0)) }
    }

    /// Of a name that is not a literal nothing can be done ahead.
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
        // Shifted by 64 for the empty name, which leaves no bit.
        mask = UInt64.max >> UInt64(64 - 8 * count)
    }

    /// The name of as many bytes from an address on; seven more may be read.
    init(padded text: UnsafePointer<UInt8>, count: Int) {
        unsafe bytes = UnsafeBufferPointer(start: text, count: count)
        mask = UInt64.max >> UInt64(64 - 8 * min(8, count))
        // All platforms of this package are little-endian.
        prefix = unsafe UnsafeRawPointer(text).loadUnaligned(as: UInt64.self) & mask
    }

    /// How many bytes the name has.
    var count: Int { unsafe bytes.count }

    /// The name as text.
    package var text: String { unsafe String(decoding: bytes, as: UTF8.self) }

    /// Whether as many bytes from an address on are the name; seven more may be read.
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

    /// Whether two names are the same bytes.
    @inlinable
    package static func == (left: JSONName, right: JSONName) -> Bool {
        guard left.prefix == right.prefix, left.mask == right.mask else { return false }
        return left.mask != .max || left.hasSameRest(as: right)
    }

    @usableFromInline
    func hasSameRest(as other: JSONName) -> Bool {
        unsafe isIdentical(to: Span(_unsafeElements: other.bytes))
    }

    /// Whether the bytes are the name.
    func isIdentical(to text: Span<UInt8>) -> Bool {
        unsafe Span(_unsafeElements: bytes).isIdentical(to: text)
    }
}
