// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ExampleActivity

@Suite("The example's work that must not be suspended halfway")
struct ExpiringActivityTests {
    private struct Failure: Error {}

    @Test(.timeLimit(.minutes(1)))
    func `is not cancelled with its caller, who waits for its end`() async throws {
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let (arrival, begun) = AsyncStream<Void>.makeStream()
        let caller = Task {
            try await ExpiringActivity.run("testing") {
                begun.finish()
                for await _ in gate {}
                return Task.isCancelled
            }
        }
        for await _ in arrival {}
        caller.cancel()
        opening.finish()
        let wasCancelled = try await caller.value
        #expect(!wasCancelled)
    }

    @Test func `throws what the work throws`() async {
        await #expect(throws: Failure.self) {
            try await ExpiringActivity.run("testing") { () async throws -> Void in throw Failure() }
        }
    }
}
