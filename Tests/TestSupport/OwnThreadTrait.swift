// SPDX-License-Identifier: Apache-2.0

package import Testing

/// Runs tests with long computations on separate threads.
///
/// On the cooperative pool, two of them would block all other tests, and time-dependent tests would fail.
package struct OwnThreadTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard #available(macOS 15, iOS 18, *) else { return try await function() }
        try await withTaskExecutorPreference(OwnThreadExecutor()) { try await function() }
    }
}

extension Trait where Self == OwnThreadTrait {
    /// Computes for seconds without suspending: runs on separate threads.
    package static var computesForLong: Self { OwnThreadTrait() }
}
