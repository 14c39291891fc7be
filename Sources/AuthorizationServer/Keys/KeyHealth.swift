// SPDX-License-Identifier: Apache-2.0

import ServerStorage
import Synchronization

/// What is wrong with the keys that sign tokens: each problem is told once, and when it is over, however often it is met.
final class KeyHealth: Sendable {
    enum Kind: Sendable {
        /// With the key that signs.
        case active
        /// With the key after it.
        case next
        /// With making and opening keys.
        case rotation
        /// With deleting keys.
        case deletion
    }

    private let texts = Mutex<[Kind: String]>([:])

    /// Why no tokens can be signed.
    var active: String? { texts.withLock { $0[.active] } }

    /// Notes that there is a problem, or none any more, and tells what is new.
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
