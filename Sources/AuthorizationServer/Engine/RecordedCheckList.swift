// SPDX-License-Identifier: Apache-2.0

/// A table that ends with recordings.
///
/// No check can follow them, so a rejected request records nothing.
struct RecordedCheckList<Input: Sendable, Output: Sendable>: Sendable {
    typealias Steps = @Sendable (consuming Input, Services) async throws(ProtocolFailure) -> Output

    /// The rows, for tests, audit events and documentation.
    let rows: [CheckRow]
    private let steps: Steps

    /// Makes a table from rows and steps, and its first recording.
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

    func record<Next: Recording>(_ next: Next) -> RecordedCheckList where Next.Stage == Output {
        RecordedCheckList(rows: rows, first: next, steps: steps)
    }

    /// Runs the rows in order until one rejects the request.
    func run(_ request: consuming Input, _ services: Services) async throws(ProtocolFailure) -> Output {
        try await steps(request, services)
    }
}
