// SPDX-License-Identifier: Apache-2.0

/// One row of a table, as tests, audit events and documents name it.
struct CheckRow: Sendable, Hashable {
    /// The name of the type, without those of the stages it serves.
    let name: String
    /// Where the rule stands.
    let section: String

    init<Step>(_ type: Step.Type, section: String) {
        name = String(String(describing: type).prefix { $0 != "<" })
        self.section = section
    }
}
