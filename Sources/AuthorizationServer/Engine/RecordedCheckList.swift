// SPDX-License-Identifier: Apache-2.0

/// A table that ends with recordings: no check can come after them, so a rejected request leaves no trace.
struct RecordedCheckList<Input: Sendable, Output: Sendable>: Sendable {
    typealias Steps = @Sendable (consuming Input, Services) async throws(ProtocolFailure) -> Output

    /// What tests, audit events and documents name.
    let rows: [CheckRow]
    private let steps: Steps

    /// Adds the first recording to the rows and steps of a table.
    init<First: Recording>(rows: [CheckRow], first: First, steps: @escaping Steps) where First.Stage == Output {
        let row = CheckRow(First.self, section: first.section)
        self.rows = rows + [row]
        self.steps = { request, services throws(ProtocolFailure) in
            let stage = try await steps(request, services)
            do throws(ProtocolFailure) {
                try await first.record(stage, services)
            } catch {
                throw services.rejection(error, by: row)
            }
            return stage
        }
    }

    /// Adds a recording.
    func record<Next: Recording>(_ next: Next) -> RecordedCheckList where Next.Stage == Output {
        RecordedCheckList(rows: rows, first: next, steps: steps)
    }

    /// Runs the table, up to the first row that rejects.
    func run(_ request: consuming Input, _ services: Services) async throws(ProtocolFailure) -> Output {
        try await steps(request, services)
    }
}
