// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where a sign-in stands between two steps, shared by the copies of its value: one answer at a time is sent, and none
/// after the one that the server took.
final class SignInTurn: Sendable {
    private enum Phase {
        case open, underWay, over
    }

    private struct Place {
        var state: FirstPartySignInState
        var phase = Phase.open
    }

    private let place: Mutex<Place>

    init(_ state: FirstPartySignInState) {
        place = Mutex(Place(state: state))
    }

    /// The newest state.
    var state: FirstPartySignInState { place.withLock { $0.state } }

    /// Begins an answer.
    ///
    /// - Returns: The state that it is sent with.
    /// - Throws: ``OAuthClientError/Code/signInExpired`` when another answer is under way, or was taken.
    func begin() throws(OAuthClientError) -> FirstPartySignInState {
        let state = place.withLock { place -> FirstPartySignInState? in
            guard place.phase == .open else { return nil }
            place.phase = .underWay
            return place.state
        }
        guard let state else {
            throw OAuthClientError(.signInExpired, "this step was answered already, or given up")
        }
        return state
    }

    /// The answer was not taken, and another one can be sent.
    ///
    /// - Parameter newer: The value of the response, if it had one: it replaces the one that was sent, whatever the status.
    func reopen(with newer: AuthSession? = nil) {
        place.withLock { place in
            if let newer { place.state = place.state.with(newer) }
            if place.phase == .underWay { place.phase = .open }
        }
    }

    /// No further answer is sent.
    func close() {
        place.withLock { $0.phase = .over }
    }
}
