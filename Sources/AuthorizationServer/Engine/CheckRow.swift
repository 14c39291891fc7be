// SPDX-License-Identifier: Apache-2.0

/// The name of one row of a table, for tests, audit events and documentation.
struct CheckRow: Sendable, Hashable {
    /// The name of the type without its generic arguments.
    let name: String
    /// The specification and section that state the rule.
    let section: String

    init<Step>(_ type: Step.Type, section: String) {
        name = String(String(describing: type).prefix { $0 != "<" })
        self.section = section
    }
}
