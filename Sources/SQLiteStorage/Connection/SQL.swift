// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The text of a statement, a literal without interpolation, so that no value can become part of it.
enum SQL: ExpressibleByStringLiteral, Sendable {
    /// Text in the program's constant data.
    case literal(StaticString)
    /// One of those below.
    case pragma(String)

    init(stringLiteral text: StaticString) {
        self = .literal(text)
    }

    /// Identifies a literal.
    ///
    /// Two literals at the same address are the same text, because a zero byte ends each.
    var address: UInt? {
        guard case .literal(let text) = self else { return nil }
        return unsafe UInt(bitPattern: text.utf8Start)
    }

    var text: String {
        switch self {
        case .literal(let text): text.description
        case .pragma(let text): text
        }
    }

    /// A statement made of names that stand in this program, never of values.
    static func generated(_ text: String) -> SQL {
        .pragma(text)
    }

    /// Writes the schema version; a pragma cannot have bound values.
    static func setSchemaVersion(_ version: Int32) -> SQL {
        .pragma("PRAGMA user_version = \(version)")
    }

    /// Writes the application ID.
    static func setApplicationID(_ applicationID: Int32) -> SQL {
        .pragma("PRAGMA application_id = \(applicationID)")
    }
}
#endif
