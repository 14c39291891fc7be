// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import PostgreSQLStorage
import ServerStorage
import Synchronization

/// Compares the clock of this machine with that of a database that several servers share.
///
/// Whatever has expired for one server is deleted for all of them, so a server whose clock is wrong must delete nothing,
/// and rotate no key.
final class ClockComparison: Sendable {
    /// How far apart the clocks may be.
    static let tolerance: Duration = .seconds(60)
    /// The reason in the response of `/ready`.
    static let problem = "the clock differs from that of the database by more than a minute"

    private let clock: any WallClock
    private let databaseTime: (@Sendable () async throws -> Timestamp)?
    private let report: @Sendable (String) -> Void
    private let isWrong = Mutex(false)

    /// - Parameters:
    ///   - clock: The clock of this machine.
    ///   - databaseTime: Reads that of the database; `nil` if no other server uses the database.
    ///   - report: Logs that the clocks differ, once until they agree again.
    init(
        _ clock: any WallClock,
        with databaseTime: (@Sendable () async throws -> Timestamp)?,
        report: @escaping @Sendable (String) -> Void
    ) {
        (self.clock, self.databaseTime, self.report) = (clock, databaseTime, report)
    }

    /// Compares the clocks of this machine and of a storage; one that is a file has no clock of its own.
    convenience init(of storage: any AuthorizationStorage, report: @escaping @Sendable (String) -> Void = { _ in }) {
        var databaseTime: (@Sendable () async throws -> Timestamp)?
        if let shared = storage as? PostgreSQLAuthorizationStorage {
            databaseTime = { try await shared.currentTime() }
        }
        self.init(SystemWallClock(), with: databaseTime, report: report)
    }

    /// Why this server should get no requests; `nil` if the clocks agreed when they were last compared.
    var problem: String? { isWrong.withLock { $0 } ? Self.problem : nil }

    /// Whether the clocks agree; not if that of the database cannot be read.
    func agrees() async -> Bool {
        (try? await agrees(on: clock.now())) ?? false
    }

    /// Whether a time that was just read from the clock of this machine is right.
    ///
    /// - Parameter time: The time.
    /// - Returns: Whether the clock of the database differs from it by no more than the tolerance.
    /// - Throws: What reading the clock of the database throws.
    func agrees(on time: Timestamp) async throws -> Bool {
        guard let databaseTime else { return true }
        let other = try await databaseTime()
        // The answer may have taken long; it was given at some time in between.
        let (ahead, behind) = (time - other, other - clock.now())
        let isWrongNow = ahead > Self.tolerance || behind > Self.tolerance
        let isNew = isWrong.withLock { isWrong in
            defer { isWrong = isWrongNow }
            return isWrongNow && !isWrong
        }
        if isNew {
            let (seconds, side) =
                ahead > .zero ? (ahead.components.seconds, "ahead of") : (behind.components.seconds, "behind")
            report(
                "the clock of this machine is \(seconds) s \(side) that of the database: until they agree, this server "
                    + "deletes no expired records, rotates no keys and is not ready; set both clocks with NTP"
            )
        }
        return !isWrongNow
    }

    /// Deletes only at a time that is right.
    ///
    /// - Parameter delete: Deletes records that had expired at a time, up to a limit; returns their number.
    /// - Returns: The same, which deletes nothing while the clocks differ.
    func guarding(
        _ delete: @escaping @Sendable (Timestamp, Int) async throws -> Int
    ) -> @Sendable (Timestamp, Int) async throws -> Int {
        { time, limit in
            guard try await self.agrees(on: time) else { return 0 }
            return try await delete(time, limit)
        }
    }

    /// Requires that the clocks agree, for commands.
    func requireAgreement() async throws {
        guard try await agrees(on: clock.now()) else {
            throw CommandFailure(
                .failure,
                Self.problem + ", so nothing was changed",
                hint: "set both clocks with NTP: timedatectl set-ntp true"
            )
        }
    }
}
#endif
