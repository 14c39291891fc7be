// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import Synchronization

/// The clock of the device, corrected by the time of the authorization server.
///
/// With a device clock that is minutes off, every server would reject the proofs (RFC 9449 section 11.1). Only the
/// authorization server can correct the clock, by one day at most: an API cannot make this client sign proofs for the
/// future.
final class ServerAdjustedClock: WallClock {
    private let base: any WallClock
    private let correction: ClockCorrection

    /// `Date` has whole seconds, and the exchange takes time: smaller differences are noise.
    private static let tolerance = Duration.seconds(5)
    private static let maximumOffset = Duration.seconds(86_400)
    /// How long a correction that was stored with tokens is believed.
    private static let storedLifetime = Duration.seconds(86_400)

    init(_ base: any WallClock, _ correction: ClockCorrection = ClockCorrection()) {
        self.base = base
        self.correction = correction
    }

    /// Makes an independent clock with the same correction.
    func copy() -> ServerAdjustedClock {
        ServerAdjustedClock(base, ClockCorrection(correction.known))
    }

    func now() -> Timestamp {
        base.now() + offset
    }

    /// The correction, for storing it with tokens; `nil` if there is none.
    var knownDifference: ClockDifference? {
        let known = correction.known
        return known.offset == .zero ? nil : known
    }

    /// Uses a correction that was stored with tokens, unless one has been learned since the process started, or it is older
    /// than a day: the clock of the device may have been set since.
    func adopt(_ stored: ClockDifference?) {
        guard let stored, stored.offset.magnitude <= Self.maximumOffset else { return }
        let age = base.now() - stored.learnedAt
        guard age >= .zero, age <= Self.storedLifetime else { return }
        correction.adopt(stored)
    }

    /// How far a response that rejects a proof says that the clock is off, if that is more than is believed.
    ///
    /// - Parameters:
    ///   - date: The `Date` field of the response.
    ///   - sent: When the request was sent, by the clock of the device.
    /// - Returns: The time of the server minus the time of the device; `nil` if there is no date, or it is less than a day off.
    func incredibleDifference(date: String?, sent: Timestamp) -> Duration? {
        guard let difference = measure(date, sent), difference.magnitude > Self.maximumOffset else { return nil }
        return difference
    }

    /// Learns the time from a response of the server.
    ///
    /// - Parameters:
    ///   - date: The `Date` field of the response.
    ///   - sent: When the request was sent, by the clock of the device.
    ///   - used: The ``offset`` when the request was made.
    /// - Returns: Whether the correction is another one than the request had, learned now or from another response
    ///   meanwhile: proofs that were rejected because of their time are worth another try.
    func learn(date: String?, sent: Timestamp, used: Duration) -> Bool {
        guard let difference = measure(date, sent), difference.magnitude <= Self.maximumOffset else { return false }
        correction.learn(difference, at: base.now(), tolerance: Self.tolerance)
        return (offset - used).magnitude > Self.tolerance
    }

    /// How far the corrected time is ahead of the device's.
    var offset: Duration { correction.known.offset }

    private func measure(_ date: String?, _ sent: Timestamp) -> Duration? {
        let roundTrip = base.now() - sent
        // The measurement is useless if the exchange was slow or the clock was set during it.
        guard let date = date.flatMap(HTTPDate.init), roundTrip >= .zero, roundTrip < .seconds(10) else { return nil }
        // Half a second: `Date` was rounded down.
        return date.time + .milliseconds(500) - (sent + roundTrip / 2)
    }

    /// The time of the device, without the correction.
    func deviceTime() -> Timestamp {
        base.now()
    }
}

/// How far a server's clock is ahead of the device's, and when that was learned.
struct ClockDifference: Sendable, Hashable {
    var offset = Duration.zero
    /// By the clock of the device.
    var learnedAt = Timestamp(secondsSince1970: 0)
}

/// The difference to a server's clock, shared by the clients of that server.
final class ClockCorrection: Sendable {
    private let state: Mutex<(difference: ClockDifference, isLearned: Bool)>

    init(_ difference: ClockDifference = ClockDifference()) {
        state = Mutex((difference, false))
    }

    var known: ClockDifference { state.withLock { $0.difference } }

    /// Replaces the difference if the new one is not noise.
    func learn(_ offset: Duration, at time: Timestamp, tolerance: Duration) {
        state.withLock { state in
            state.isLearned = true
            guard (offset - state.difference.offset).magnitude > tolerance else { return }
            state.difference = ClockDifference(
                offset: offset.magnitude > tolerance ? offset : .zero,
                learnedAt: time
            )
        }
    }

    /// Uses a difference that an earlier process has learned, unless this one has learned better.
    func adopt(_ difference: ClockDifference) {
        state.withLock { state in
            if !state.isLearned { state = (difference, true) }
        }
    }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
