// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import Synchronization

/// The clock of the device, set right by what the authorization server says the time is.
///
/// A device that is minutes off would make proofs that every server refuses (RFC 9449 section 11.1). Only the authorization
/// server is believed, and not beyond a day, so that an API cannot make this client sign proofs for the future.
final class ServerAdjustedClock: WallClock {
    private let base: any WallClock
    private let offset = Mutex(Duration.zero)

    /// `Date` is in whole seconds, and the exchange takes time: smaller differences mean nothing.
    private static let tolerance = Duration.seconds(5)
    private static let maximumOffset = Duration.seconds(86_400)

    init(_ base: any WallClock) {
        self.base = base
    }

    /// Another clock that goes like this one for now.
    func copy() -> ServerAdjustedClock {
        let copy = ServerAdjustedClock(base)
        let known = offset.withLock { $0 }
        copy.offset.withLock { $0 = known }
        return copy
    }

    func now() -> Timestamp {
        base.now() + offset.withLock { $0 }
    }

    /// Takes the time of a server.
    ///
    /// - Parameters:
    ///   - date: The `Date` field of the answer.
    ///   - sent: When the request was sent, by the clock of the device.
    /// - Returns: Whether the clock was set: proofs that were refused because of it are worth another try.
    func learn(date: String?, sent: Timestamp) -> Bool {
        let received = base.now()
        let roundTrip = received - sent
        // A slow exchange, or a clock that was set in between, says nothing.
        guard let date = date.flatMap(HTTPDate.init), roundTrip >= .zero, roundTrip < .seconds(10) else { return false }
        // Half a second: `Date` was rounded down.
        let skew = date.time + .milliseconds(500) - (sent + roundTrip / 2)
        guard skew.magnitude <= Self.maximumOffset else { return false }
        return offset.withLock { offset in
            guard (skew - offset).magnitude > Self.tolerance else { return false }
            offset = skew.magnitude > Self.tolerance ? skew : .zero
            return true
        }
    }

    /// The time by the clock of the device alone.
    func deviceTime() -> Timestamp {
        base.now()
    }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
