// SPDX-License-Identifier: Apache-2.0

extension Span<UInt8> {
    /// Whether the bytes are those of a name that the program holds.
    package func isIdentical(to name: StaticString) -> Bool {
        name.withUTF8Span { isIdentical(to: $0) }
    }
}

extension StaticString {
    /// Calls a function with the UTF-8 octets: a name that the program holds needs no counting of references.
    package func withUTF8Span<Value>(_ body: (Span<UInt8>) -> Value) -> Value {
        withUTF8Buffer { unsafe body(Span(_unsafeElements: $0)) }
    }
}

extension [UInt8] {
    /// Appends a text that the program holds.
    package mutating func append(_ text: StaticString) {
        text.withUTF8Span { append($0) }
    }
}
