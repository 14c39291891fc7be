// SPDX-License-Identifier: Apache-2.0

/// The checks of a table, in their order; the types of the stages make sure that each finds what it looks at.
///
/// It is two functions, so that only steps that wait cost what an asynchronous call costs: everything up to the last of
/// them, and the checks after it.
struct CheckList<Input: Sendable, Waited: Sendable, Output: Sendable>: Sendable {
    typealias Waiting = @Sendable (consuming Input, Services) async throws(ProtocolFailure) -> Waited
    typealias Checking = @Sendable (consuming Waited, Services) throws(ProtocolFailure) -> Output

    /// What tests, audit events and documents name.
    let rows: [CheckRow]
    private let waiting: Waiting
    private let checking: Checking

    private init(rows: [CheckRow], waiting: @escaping Waiting, checking: @escaping Checking) {
        (self.rows, self.waiting, self.checking) = (rows, waiting, checking)
    }

    /// Runs the table, up to the first row that rejects.
    func run(_ request: consuming Input, _ services: Services) async throws(ProtocolFailure) -> Output {
        try checking(await waiting(request, services), services)
    }

    /// Adds a check, which adds to what is known.
    func then<Next: Check>(_ next: Next) -> CheckList<Input, Waited, Next.Output> where Next.Input == Output {
        let (row, checking) = (CheckRow(Next.self, section: next.section), checking)
        return .init(rows: rows + [row], waiting: waiting) { request, services throws(ProtocolFailure) in
            let stage = try checking(request, services)
            do throws(ProtocolFailure) {
                return try next.run(stage, services)
            } catch {
                throw services.rejection(error, by: row)
            }
        }
    }

    /// Adds a rule, which only rejects.
    func check<Next: Rule>(_ next: Next) -> CheckList where Next.Stage == Output {
        let (row, checking) = (CheckRow(Next.self, section: next.section), checking)
        return CheckList(rows: rows + [row], waiting: waiting) { request, services throws(ProtocolFailure) in
            let stage = try checking(request, services)
            do throws(ProtocolFailure) {
                try next.check(stage, services)
            } catch {
                throw services.rejection(error, by: row)
            }
            return stage
        }
    }

    /// Adds a read of what the next checks look at.
    func read<Next: Read>(_ next: Next) -> CheckList<Input, Next.Output, Next.Output> where Next.Input == Output {
        let (row, waiting, checking) = (CheckRow(Next.self, section: next.section), waiting, checking)
        return .init(rows: rows + [row]) { request, services throws(ProtocolFailure) in
            try await next.run(checking(await waiting(request, services), services), services)
        }
    }

    /// Adds a check that waits for a signature.
    func verify<Next: Verification>(
        _ next: Next
    ) -> CheckList<Input, Next.Output, Next.Output> where Next.Input == Output {
        let (row, waiting, checking) = (CheckRow(Next.self, section: next.section), waiting, checking)
        return .init(rows: rows + [row]) { request, services throws(ProtocolFailure) in
            let stage = try checking(await waiting(request, services), services)
            do throws(ProtocolFailure) {
                return try await next.run(stage, services)
            } catch {
                throw services.rejection(error, by: row)
            }
        }
    }

    /// Adds a recording; nothing but another one comes after it.
    func record<Next: Recording>(_ next: Next) -> RecordedCheckList<Input, Output> where Next.Stage == Output {
        let (waiting, checking) = (waiting, checking)
        return RecordedCheckList(rows: rows, first: next) { request, services throws(ProtocolFailure) in
            try checking(await waiting(request, services), services)
        }
    }

    /// Adds another table.
    func followed<NextWaited: Sendable, Last: Sendable>(
        by next: CheckList<Output, NextWaited, Last>
    ) -> CheckList<Input, NextWaited, Last> {
        let (waiting, checking, nextWaiting) = (waiting, checking, next.waiting)
        return CheckList<Input, NextWaited, Last>(
            rows: rows + next.rows,
            waiting: { request, services throws(ProtocolFailure) in
                try await nextWaiting(checking(await waiting(request, services), services), services)
            },
            checking: next.checking
        )
    }
}

extension CheckList where Waited == Output {
    /// A table whose last step waits.
    private init(rows: [CheckRow], waiting: @escaping Waiting) {
        self.init(rows: rows, waiting: waiting) { stage, _ throws(ProtocolFailure) in stage }
    }
}

extension CheckList where Input == Waited, Waited == Output {
    /// A table without rows, for requests at a stage.
    init(of stage: Input.Type) {
        self.init(rows: []) { request, _ throws(ProtocolFailure) in request }
    }
}
