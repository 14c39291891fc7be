// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The text of a statement, a literal without interpolation, so that no value can become part of it.
struct SQL: ExpressibleByStringLiteral, Sendable {
    private let literal: StaticString

    init(stringLiteral text: StaticString) {
        literal = text
    }

    /// Identifies the statement.
    ///
    /// Two literals at the same address are the same text, because a zero byte ends each.
    var address: UInt { unsafe UInt(bitPattern: literal.utf8Start) }

    var text: String { literal.description }
}
#endif
