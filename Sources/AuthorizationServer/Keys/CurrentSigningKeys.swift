// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import Synchronization

/// Holds the keys of this moment; reading them waits for nothing.
final class CurrentSigningKeys: JWKSetSource {
    private let snapshot: Mutex<SigningKeySnapshot>

    init(_ snapshot: SigningKeySnapshot) {
        self.snapshot = Mutex(snapshot)
    }

    /// The keys of this moment: what belongs together is taken from one value.
    var now: SigningKeySnapshot {
        snapshot.withLock(\.self)
    }

    func replace(with new: SigningKeySnapshot) {
        snapshot.withLock { $0 = new }
    }

    /// The keys of access tokens, for the guard of the server's own API.
    func keySet(forKeyID keyID: String?) async throws(OAuthCoreError) -> JWKSet {
        now.accessTokenKeys
    }
}
