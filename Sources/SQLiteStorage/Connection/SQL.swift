// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The text of a statement: a literal without interpolation, so that no value can become part of it.
enum SQL: ExpressibleByStringLiteral, Sendable {
    /// Lies in the program for as long as it runs.
    case literal(StaticString)
    /// One of the pragmas below.
    case pragma(String)

    init(stringLiteral text: StaticString) {
        self = .literal(text)
    }

    /// What tells literals apart: two that begin at one address are the same text, as a zero byte ends each.
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

    /// Writes the version of the schema; a pragma takes no bound values.
    static func setSchemaVersion(_ version: Int32) -> SQL {
        .pragma("PRAGMA user_version = \(version)")
    }

    /// Writes whose database this is.
    static func setApplicationID(_ applicationID: Int32) -> SQL {
        .pragma("PRAGMA application_id = \(applicationID)")
    }
}
#endif
