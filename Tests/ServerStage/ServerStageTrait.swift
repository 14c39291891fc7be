// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
package import Testing

/// Runs each test of a suite twice: its servers are on sockets, first with storage in memory, then with SQLite.
package struct ServerStageTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        for store in ServerStage.Store.allCases {
            try await ServerStage.run(on: store, function)
        }
    }
}

extension Trait where Self == ServerStageTrait {
    /// Over real sockets, with storage in memory and with SQLite.
    package static var overSocketsOnEveryStore: Self { ServerStageTrait() }
}
#endif
