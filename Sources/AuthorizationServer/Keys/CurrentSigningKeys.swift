// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Holds the keys of this moment; reading them waits for nothing.
final class CurrentSigningKeys: Sendable {
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
}
