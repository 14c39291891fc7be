// SPDX-License-Identifier: Apache-2.0

/// The checks of a table, in their order; the types of the stages make sure that each finds what it looks at.
struct CheckList<Input: Sendable, Output: Sendable>: Sendable {
    typealias Steps = @Sendable (consuming Input, Services) async throws(ProtocolFailure) -> Output

    /// What tests, audit events and documents name.
    let rows: [CheckRow]
    private let steps: Steps

    private init(rows: [CheckRow], steps: @escaping Steps) {
        (self.rows, self.steps) = (rows, steps)
    }

    /// A table that begins with a check.
    init<First: Check>(_ first: First) where First.Input == Input, First.Output == Output {
        let row = CheckRow(First.self, section: first.section)
        self.init(rows: [row]) { request, services throws(ProtocolFailure) in
            do throws(ProtocolFailure) {
                return try await first.run(request, services)
            } catch {
                throw services.rejection(error, by: row)
            }
        }
    }

    /// A table that begins with a read.
    init<First: Read>(reading first: First) where First.Input == Input, First.Output == Output {
        self.init(rows: [CheckRow(First.self, section: first.section)]) { request, services throws(ProtocolFailure) in
            try await first.run(request, services)
        }
    }

    /// A table that begins with a rule.
    init<First: Rule>(checking first: First) where First.Stage == Input, Input == Output {
        let row = CheckRow(First.self, section: first.section)
        self.init(rows: [row]) { request, services throws(ProtocolFailure) in
            do throws(ProtocolFailure) {
                try first.check(request, services)
            } catch {
                throw services.rejection(error, by: row)
            }
            return request
        }
    }

    /// Runs the table, up to the first check that rejects.
    func run(_ request: consuming Input, _ services: Services) async throws(ProtocolFailure) -> Output {
        try await steps(request, services)
    }

    /// Adds a check, which adds to what is known.
    func then<Next: Check>(_ next: Next) -> CheckList<Input, Next.Output> where Next.Input == Output {
        let (row, steps) = (CheckRow(Next.self, section: next.section), steps)
        return CheckList<Input, Next.Output>(rows: rows + [row]) { request, services throws(ProtocolFailure) in
            let stage = try await steps(request, services)
            do throws(ProtocolFailure) {
                return try await next.run(stage, services)
            } catch {
                throw services.rejection(error, by: row)
            }
        }
    }

    /// Adds a rule, which only rejects.
    func check<Next: Rule>(_ next: Next) -> CheckList where Next.Stage == Output {
        let (row, steps) = (CheckRow(Next.self, section: next.section), steps)
        return CheckList(rows: rows + [row]) { request, services throws(ProtocolFailure) in
            let stage = try await steps(request, services)
            do throws(ProtocolFailure) {
                try next.check(stage, services)
            } catch {
                throw services.rejection(error, by: row)
            }
            return stage
        }
    }

    /// Adds a read of what the next checks look at.
    func read<Next: Read>(_ next: Next) -> CheckList<Input, Next.Output> where Next.Input == Output {
        followed(by: CheckList<Output, Next.Output>(reading: next))
    }

    /// Adds a recording; nothing but another one comes after it.
    func record<Next: Recording>(_ next: Next) -> RecordedCheckList<Input, Output> where Next.Stage == Output {
        RecordedCheckList(rows: rows, steps: steps).record(next)
    }

    /// Adds another table.
    func followed<Last: Sendable>(by next: CheckList<Output, Last>) -> CheckList<Input, Last> {
        let (first, second) = (steps, next.steps)
        return CheckList<Input, Last>(rows: rows + next.rows) { request, services throws(ProtocolFailure) in
            try await second(first(request, services), services)
        }
    }
}
