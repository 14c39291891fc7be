// SPDX-License-Identifier: Apache-2.0

import ServerStorage
import Synchronization

/// Tracks failures of signing keys, and logs each once when it starts and once when it ends.
final class KeyHealth: Sendable {
    enum Kind: Sendable {
        /// The active key.
        case active
        /// The next key.
        case next
        /// Generating and opening keys.
        case rotation
        /// Deleting keys.
        case deletion
    }

    private let texts = Mutex<[Kind: String]>([:])

    /// Why no tokens can be signed.
    var active: String? { texts.withLock { $0[.active] } }

    /// Records an error, or its end, and logs the change if there is one.
    func note(_ error: AuthorizationServerError?, as kind: Kind, _ report: (String) -> Void) {
        let text = error.map { error in "\(error)" + (error.underlying.map { " (\($0))" } ?? "") }
        let before = texts.withLock { texts in
            defer { texts[kind] = text }
            return texts[kind]
        }
        guard text != before else { return }
        report("the signing keys: " + (text ?? "this is over: \(before ?? "")"))
    }
}
