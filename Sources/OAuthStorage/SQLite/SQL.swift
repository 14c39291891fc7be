// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The text of a statement: a literal without interpolation, so that no value can become part of it.
struct SQL: ExpressibleByStringLiteral, Hashable, Sendable {
    let text: String

    init(stringLiteral text: String) {
        self.text = text
    }

    private init(text: String) {
        self.text = text
    }

    /// Writes the version of the schema; a pragma takes no bound values.
    static func setSchemaVersion(_ version: Int32) -> SQL {
        SQL(text: "PRAGMA user_version = \(version)")
    }

    /// Writes whose database this is.
    static func setApplicationID(_ applicationID: Int32) -> SQL {
        SQL(text: "PRAGMA application_id = \(applicationID)")
    }
}
#endif
