// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A table that ends with records.
///
/// No check can follow them, so a rejected request records nothing.
struct RecordedCheckList<Input: Sendable, Output: Sendable>: Sendable {
    typealias Steps = @Sendable (consuming Input, Services) async throws(ProtocolFailure) -> CheckedRequest<Output>

    /// The rows, for tests, audit events and documentation.
    let rows: [CheckRow]
    private let steps: Steps

    /// Makes a table from rows and steps, and its first record.
    init<First: Record>(
        rows: [CheckRow],
        first: First,
        steps: @escaping @Sendable (consuming Input, Services) async throws(ProtocolFailure) -> Output
    ) where First.Stage == Output {
        self.init(rows: rows, next: first) { request, services throws(ProtocolFailure) in
            CheckedRequest(
                stage: try await steps(request, services),
                recording: Recording(WriteAttempt(entropy: services.entropy))
            )
        }
    }

    private init<Next: Record>(rows: [CheckRow], next: Next, steps: @escaping Steps) where Next.Stage == Output {
        let row = CheckRow(Next.self, section: next.section)
        self.rows = rows + [row]
        self.steps = { request, services throws(ProtocolFailure) in
            var checked = try await steps(request, services)
            do throws(ProtocolFailure) {
                try await next.record(checked.stage, in: &checked.recording, services)
            } catch {
                throw services.rejection(error, by: row)
            }
            return checked
        }
    }

    func record<Next: Record>(_ next: Next) -> RecordedCheckList where Next.Stage == Output {
        RecordedCheckList(rows: rows, next: next, steps: steps)
    }

    /// Runs the rows in order until one rejects the request.
    func run(_ request: consuming Input, _ services: Services) async throws(ProtocolFailure) -> CheckedRequest<Output> {
        try await steps(request, services)
    }
}
