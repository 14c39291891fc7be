// SPDX-License-Identifier: Apache-2.0

extension Span<UInt8> {
    /// Whether the bytes equal those of a constant name.
    package func isIdentical(to name: StaticString) -> Bool {
        name.withUTF8Span { isIdentical(to: $0) }
    }
}

extension StaticString {
    /// Calls a function with the UTF-8 bytes.
    ///
    /// A constant needs no reference counting.
    func withUTF8Span<Value>(_ body: (Span<UInt8>) -> Value) -> Value {
        withUTF8Buffer { unsafe body(Span(_unsafeElements: $0)) }
    }
}

extension [UInt8] {
    /// Appends a constant text.
    package mutating func append(_ text: StaticString) {
        text.withUTF8Span { append($0) }
    }
}
