// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import Synchronization

/// The clocks of the APIs that refused a proof because of its time, each for the proofs of its own origin only.
///
/// An API that lies about the time gets proofs for itself that nobody else takes.
final class ResourceClocks: Sendable {
    /// Beyond these all are forgotten: each is learned again at the next refusal.
    private static let maximumCount = 64

    private let server: ServerAdjustedClock
    private let clocks = Mutex<[String: ServerAdjustedClock]>([:])

    /// Makes the clocks.
    ///
    /// - Parameter server: The clock of the authorization server, which counts for an API until it says otherwise.
    init(_ server: ServerAdjustedClock) {
        self.server = server
    }

    /// The time at an origin; `nil` when it is not known to be another one than that of the authorization server.
    func time(at origin: String) -> Timestamp? {
        clocks.withLock { $0[origin] }?.now()
    }

    /// Takes the time of an API that refused a proof.
    ///
    /// - Returns: Whether the clock was set: the proof is worth another try.
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
