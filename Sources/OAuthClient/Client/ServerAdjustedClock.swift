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

    init(_ base: any WallClock, _ correction: ClockCorrection = ClockCorrection()) {
        self.base = base
        self.correction = correction
    }

    /// Makes an independent clock with the same correction.
    func copy() -> ServerAdjustedClock {
        let known = correction.offset.withLock { $0 }
        let copy = ServerAdjustedClock(base)
        copy.correction.offset.withLock { $0 = known }
        return copy
    }

    func now() -> Timestamp {
        base.now() + correction.offset.withLock { $0 }
    }

    /// Learns the time from a response of the server.
    ///
    /// - Parameters:
    ///   - date: The `Date` field of the response.
    ///   - sent: When the request was sent, by the clock of the device.
    /// - Returns: Whether the correction changed: proofs that were rejected because of their time are worth another
    ///   try.
    func learn(date: String?, sent: Timestamp) -> Bool {
        let received = base.now()
        let roundTrip = received - sent
        // The measurement is useless if the exchange was slow or the clock was set during it.
        guard let date = date.flatMap(HTTPDate.init), roundTrip >= .zero, roundTrip < .seconds(10) else { return false }
        // Half a second: `Date` was rounded down.
        let skew = date.time + .milliseconds(500) - (sent + roundTrip / 2)
        guard skew.magnitude <= Self.maximumOffset else { return false }
        return correction.offset.withLock { offset in
            guard (skew - offset).magnitude > Self.tolerance else { return false }
            offset = skew.magnitude > Self.tolerance ? skew : .zero
            return true
        }
    }

    /// The time of the device, without the correction.
    func deviceTime() -> Timestamp {
        base.now()
    }
}

/// How far a server's clock is ahead of the device's.
final class ClockCorrection: Sendable {
    let offset = Mutex(Duration.zero)
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
