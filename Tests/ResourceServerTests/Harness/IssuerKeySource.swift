// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import Synchronization

/// Keys of an issuer that counts how often it is asked, and may be out of reach.
final class IssuerKeySource: JWKSetSource {
    private struct State {
        var keys: JWKSet?
        var questions = 0
    }

    private let state: Mutex<State>

    init(_ keys: JWKSet?) {
        state = Mutex(State(keys: keys))
    }

    /// How often a guard has asked for the keys.
    var questions: Int { state.withLock { $0.questions } }

    /// Publishes other keys; with `nil` it is out of reach.
    func use(_ keys: JWKSet?) {
        state.withLock { $0.keys = keys }
    }

    func keySet(forKeyID keyID: String?) async throws(OAuthCoreError) -> JWKSet {
        let keys = state.withLock { state in
            state.questions += 1
            return state.keys
        }
        guard let keys else { throw OAuthCoreError(.keysUnavailable, "out of reach") }
        return keys
    }
}
