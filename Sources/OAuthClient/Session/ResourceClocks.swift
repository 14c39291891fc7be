// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import Synchronization

/// The clocks of the APIs that rejected a proof because of its time.
///
/// Each is used only for proofs for its own origin.
///
/// An API that lies about the time only gets proofs that no other API accepts.
final class ResourceClocks: Sendable {
    /// When there are more, all are forgotten: each is learned again at the next rejection.
    private static let maximumCount = 64

    private let server: ServerAdjustedClock
    private let clocks = Mutex<[String: ServerAdjustedClock]>([:])

    /// Makes the clocks.
    ///
    /// - Parameter server: The clock of the authorization server, which is used for an API until a response of the API
    ///   corrects it.
    init(_ server: ServerAdjustedClock) {
        self.server = server
    }

    /// The time at an origin; `nil` if its clock is not known to differ from the authorization server's.
    func time(at origin: String) -> Timestamp? {
        clocks.withLock { $0[origin] }?.now()
    }

    /// How far the time at an origin is ahead of the device's, as far as is known.
    func offset(at origin: String) -> Duration {
        clocks.withLock { $0[origin] }?.offset ?? server.offset
    }

    /// Learns the time of an API that rejected a proof.
    ///
    /// - Parameters:
    ///   - date: The `Date` field of the response.
    ///   - sent: When the request was sent, by the clock of the device.
    ///   - used: The ``offset(at:)`` when the proof was made.
    ///   - origin: The origin of the API.
    /// - Returns: Whether the clock is another one than the proof was made with: the request is worth another try.
    func learn(date: String?, sent: Timestamp, used: Duration, origin: String) -> Bool {
        let clock = clocks.withLock { $0[origin] } ?? server.copy()
        guard clock.learn(date: date, sent: sent, used: used) else { return false }
        clocks.withLock { clocks in
            if clocks[origin] == nil, clocks.count >= Self.maximumCount { clocks = [:] }
            clocks[origin] = clock
        }
        return true
    }
}
