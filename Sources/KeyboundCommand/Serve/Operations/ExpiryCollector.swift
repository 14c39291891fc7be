// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// Deletes expired records in bounded steps, so that requests can run in between.
struct ExpiryCollector: Sendable {
    /// The maximum number of records in one step.
    static let step = 500
    /// The time between two collections.
    static let interval: Duration = .seconds(60)

    let clock: any WallClock
    /// Deletes records that had expired at a time, up to a limit; returns their number.
    let delete: @Sendable (Timestamp, Int) async throws -> Int

    /// Deletes all expired records, or stops when its task is cancelled.
    ///
    /// - Parameter counted: Called with the number of records that each step deleted.
    /// - Throws: What a step throws; earlier steps are not undone.
    func collect(_ counted: (Int) -> Void) async throws {
        var deleted = Self.step
        while deleted == Self.step, !Task.isCancelled {
            deleted = try await delete(clock.now(), Self.step)
            counted(deleted)
        }
    }

    /// Collects at once and then every minute, until its task is cancelled.
    ///
    /// Failures are reported and retried.
    func run(
        sleepingOn sleeper: some Clock<Duration>,
        counted: (Int) -> Void,
        report: (String) -> Void
    ) async {
        while !Task.isCancelled {
            do {
                try await collect(counted)
            } catch {
                report("expired records were not deleted: \(CommandFailure(describing: error).message)")
            }
            try? await sleeper.sleep(for: Self.interval)
        }
    }
}
