// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The text of a statement, of literals without interpolation, so that no value can become part of it.
struct SQL: ExpressibleByStringLiteral, Sendable {
    private let parts: [StaticString]

    /// Identifies the statement.
    ///
    /// Two literals at the same address are the same text, because a zero byte ends each.
    let address: UInt

    init(stringLiteral text: StaticString) {
        parts = [text]
        address = unsafe UInt(bitPattern: text.utf8Start)
    }

    /// Joins literals, of which the first is in no other statement.
    init(joining first: StaticString, _ others: StaticString...) {
        parts = [first] + others
        address = unsafe UInt(bitPattern: first.utf8Start)
    }

    var text: String { parts.map(\.description).joined() }
}
#endif
