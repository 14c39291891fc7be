// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Holds the current keys.
///
/// Reading them is synchronous.
final class CurrentSigningKeys: Sendable {
    private let snapshot: Mutex<SigningKeySnapshot>

    init(_ snapshot: SigningKeySnapshot) {
        self.snapshot = Mutex(snapshot)
    }

    /// A snapshot of the current keys, consistent in itself.
    var now: SigningKeySnapshot {
        snapshot.withLock(\.self)
    }

    func replace(with new: SigningKeySnapshot) {
        snapshot.withLock { $0 = new }
    }
}
