// SPDX-License-Identifier: Apache-2.0

package import Testing

/// Runs tests that compute for long on threads of their own.
///
/// On the threads that tasks share, two of them would let every other test wait, and those that watch the clock fail.
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
    /// Computes for seconds without a pause: runs on threads of its own.
    package static var computesForLong: Self { OwnThreadTrait() }
}
