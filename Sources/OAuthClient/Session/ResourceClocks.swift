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

    /// Learns the time of an API that rejected a proof.
    ///
    /// - Returns: Whether the clock was corrected: the proof is worth another try.
    func learn(date: String?, sent: Timestamp, origin: String) -> Bool {
        let clock = clocks.withLock { $0[origin] } ?? server.copy()
        guard clock.learn(date: date, sent: sent) else { return false }
        clocks.withLock { clocks in
            if clocks[origin] == nil, clocks.count >= Self.maximumCount { clocks = [:] }
            clocks[origin] = clock
        }
        return true
    }
}
