// SPDX-License-Identifier: Apache-2.0

/// The checks of a table in order.
///
/// The types of the stages guarantee that each check finds the facts it needs.
///
/// The list is two functions: everything up to the last asynchronous step, and the synchronous checks after it. Only
/// steps that wait pay for an asynchronous call.
struct CheckList<Input: Sendable, Waited: Sendable, Output: Sendable>: Sendable {
    typealias Waiting = @Sendable (consuming Input, Services) async throws(ProtocolFailure) -> Waited
    typealias Checking = @Sendable (consuming Waited, Services) throws(ProtocolFailure) -> Output

    /// The rows, for tests, audit events and documentation.
    let rows: [CheckRow]
    private let waiting: Waiting
    private let checking: Checking

    private init(rows: [CheckRow], waiting: @escaping Waiting, checking: @escaping Checking) {
        (self.rows, self.waiting, self.checking) = (rows, waiting, checking)
    }

    /// Runs the rows in order until one rejects the request.
    func run(_ request: consuming Input, _ services: Services) async throws(ProtocolFailure) -> Output {
        try checking(await waiting(request, services), services)
    }

    /// Adds a check that returns the next stage.
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

    /// Adds a rule that only rejects.
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

    /// Adds a read from the storage for the checks after it.
    func read<Next: Read>(_ next: Next) -> CheckList<Input, Next.Output, Next.Output> where Next.Input == Output {
        let (row, waiting, checking) = (CheckRow(Next.self, section: next.section), waiting, checking)
        return .init(rows: rows + [row]) { request, services throws(ProtocolFailure) in
            try await next.run(checking(await waiting(request, services), services), services)
        }
    }

    /// Adds a check that waits for a signature to be verified.
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

    /// Adds a record.
    ///
    /// Only other records can follow.
    func record<Next: Record>(_ next: Next) -> RecordedCheckList<Input, Output> where Next.Stage == Output {
        let (waiting, checking) = (waiting, checking)
        return RecordedCheckList(rows: rows, first: next) { request, services throws(ProtocolFailure) in
            try checking(await waiting(request, services), services)
        }
    }

    /// Appends another table.
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
    /// Makes a table whose last step is asynchronous.
    private init(rows: [CheckRow], waiting: @escaping Waiting) {
        self.init(rows: rows, waiting: waiting) { stage, _ throws(ProtocolFailure) in stage }
    }
}

extension CheckList where Input == Waited, Waited == Output {
    /// Makes an empty table for requests at a stage.
    init(of stage: Input.Type) {
        self.init(rows: []) { request, _ throws(ProtocolFailure) in request }
    }
}
