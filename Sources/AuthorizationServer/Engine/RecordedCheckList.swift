// SPDX-License-Identifier: Apache-2.0

/// A table that ends with recordings: no check can come after them, so a rejected request leaves no trace.
struct RecordedCheckList<Input: Sendable, Output: Sendable>: Sendable {
    typealias Steps = CheckList<Input, Output>.Steps

    let rows: [CheckRow]
    private let steps: Steps

    init(rows: [CheckRow], steps: @escaping Steps) {
        (self.rows, self.steps) = (rows, steps)
    }

    /// Runs the table, up to the first row that rejects.
    func run(_ request: consuming Input, _ services: Services) async throws(ProtocolFailure) -> Output {
        try await steps(request, services)
    }

    /// Adds a recording.
    func record<Next: Recording>(_ next: Next) -> RecordedCheckList where Next.Stage == Output {
        let (row, steps) = (CheckRow(Next.self, section: next.section), steps)
        return RecordedCheckList(rows: rows + [row]) { request, services throws(ProtocolFailure) in
            let stage = try await steps(request, services)
            do throws(ProtocolFailure) {
                try await next.record(stage, services)
            } catch {
                throw services.rejection(error, by: row)
            }
            return stage
        }
    }
}
