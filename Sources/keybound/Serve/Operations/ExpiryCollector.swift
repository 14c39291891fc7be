// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// Deletes what has expired, in bounded steps, between which requests have their turn.
struct ExpiryCollector: Sendable {
    /// How many records one step deletes at most.
    static let step = 500
    /// The time between two collections.
    static let interval: Duration = .seconds(60)

    let clock: any WallClock
    /// Deletes records that had expired at a time, at most so many; how many it were.
    let delete: @Sendable (Timestamp, Int) async throws -> Int

    /// Deletes what has expired, up to the last record, or until its task is cancelled.
    ///
    /// - Parameter counted: Told how many records each step deleted.
    /// - Throws: What a step throws; the steps before stay done.
    func collect(_ counted: (Int) -> Void) async throws {
        var deleted = Self.step
        while deleted == Self.step, !Task.isCancelled {
            deleted = try await delete(clock.now(), Self.step)
            counted(deleted)
        }
    }

    /// Collects at once and then every minute, until its task is cancelled; what fails is reported, and tried again.
    func run(
        sleepingOn sleeper: some Clock<Duration>,
        counted: (Int) -> Void,
        report: (String) -> Void
    ) async {
        while !Task.isCancelled {
            do {
                try await collect(counted)
            } catch {
                report("what has expired was not deleted: \(CommandFailure(describing: error).message)")
            }
            try? await sleeper.sleep(for: Self.interval)
        }
    }
}
