// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What is wrong with the keys that sign tokens: each problem is told once, and when it is over, however often it is met.
final class KeyProblems: Sendable {
    struct Texts: Sendable {
        /// With the key that signs.
        var active: String?
        /// With the key after it.
        var next: String?
        /// With making and opening keys.
        var rotation: String?
        /// With deleting keys.
        var deletion: String?
    }

    private let texts = Mutex(Texts())

    /// Why no tokens can be signed.
    var active: String? { texts.withLock(\.active) }

    /// Notes that there is a problem, or none any more, and tells what is new.
    func note(
        _ error: AuthorizationServerError?,
        as kind: WritableKeyPath<Texts, String?> & Sendable,
        _ report: (String) -> Void
    ) {
        let text = error.map { error in "\(error)" + (error.underlying.map { " (\($0))" } ?? "") }
        let before = texts.withLock { texts in
            defer { texts[keyPath: kind] = text }
            return texts[keyPath: kind]
        }
        guard text != before else { return }
        report(text.map { "the signing keys: \($0)" } ?? "the signing keys: this is over: \(before ?? "")")
    }
}
