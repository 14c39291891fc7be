// SPDX-License-Identifier: Apache-2.0

package import JOSE
package import OAuthSystem
package import ServerStorage

/// What the stored times of the keys of one algorithm mean at a moment; pure, so that every process comes to the same result.
package struct SigningKeySchedule: Sendable, Hashable {
    /// A key, and what it is used for.
    package struct Entry: Sendable, Hashable {
        /// The key.
        package let key: StoredSigningKey
        /// What it is used for.
        package let state: SigningKeyState
        /// Since when it is in this state.
        package let since: Timestamp
        /// When it changes to the state after this one, or is forgotten; `nil` while that is not known.
        package let until: Timestamp?
    }

    /// A key that must be made.
    package struct Vacancy: Sendable, Hashable {
        /// The key that it follows; `nil` when it is the first.
        package let predecessor: String?
        /// When it is to sign.
        package let activeFrom: Timestamp
    }

    /// The active key first, then those after it, the retired ones from the newest to the oldest, and those that were revoked.
    package let entries: [Entry]
    /// The key that must be made now, if any.
    package let vacancy: Vacancy?
    /// Keys that nobody needs any more.
    package let removable: [String]

    /// Reads the times.
    ///
    /// - Parameters:
    ///   - keys: The stored keys, of all algorithms.
    ///   - algorithm: The algorithm.
    ///   - policy: When keys are replaced.
    ///   - now: The time.
    package init(
        _ keys: [StoredSigningKey],
        of algorithm: SignatureAlgorithm,
        _ policy: SigningKeyPolicy,
        at now: Timestamp
    ) {
        let all = keys.filter { $0.algorithm == algorithm }
        let usable = all.filter { $0.revokedAt == nil }.sorted(by: StoredSigningKey.isEarlier)
        // A clock that was set back leaves the first key: one that has keys always signs.
        let active = usable.lastIndex { $0.activeFrom <= now } ?? 0
        let present = usable.indices.map { index in
            Self.entry(usable, index, active: active, policy)
        }
        let revoked = all.compactMap(Self.revoked)
        let known = present.dropFirst(active) + present.prefix(active).reversed() + revoked
        entries = known.filter { !Self.isOver($0, at: now) }
        removable = known.filter { Self.isOver($0, at: now) }.map(\.key.keyID)
        vacancy = Self.vacancy(usable, active: active, policy, at: now)
    }

    /// The key that signs; `nil` when there is none yet.
    package var active: StoredSigningKey? { entries.first { $0.state == .active }?.key }

    /// The key after the one that signs, if it was made already.
    package var next: StoredSigningKey? { entries.first { $0.state == .next }?.key }

    /// The keys that tokens can be checked with, now or soon.
    package var published: [StoredSigningKey] {
        entries.filter { $0.state != .revoked }.map(\.key)
    }

    private static func entry(
        _ usable: [StoredSigningKey],
        _ index: Int,
        active: Int,
        _ policy: SigningKeyPolicy
    ) -> Entry {
        let key = usable[index]
        let successor = index + 1 < usable.count ? usable[index + 1] : nil
        if index > active {
            return Entry(key: key, state: .next, since: key.publishedAt, until: key.activeFrom)
        }
        if index == active {
            let until = successor?.activeFrom ?? key.activeFrom + policy.rotation
            return Entry(key: key, state: .active, since: key.activeFrom, until: until)
        }
        let since = successor?.activeFrom ?? key.activeFrom
        return Entry(
            key: key,
            state: .retired,
            since: since,
            until: since + key.tokenLifetime + SigningKeyPolicy.leeway
        )
    }

    private static func revoked(_ key: StoredSigningKey) -> Entry? {
        key.revokedAt.map { time in
            Entry(key: key, state: .revoked, since: time, until: time + key.tokenLifetime + SigningKeyPolicy.leeway)
        }
    }

    private static func isOver(_ entry: Entry, at now: Timestamp) -> Bool {
        guard entry.state == .retired || entry.state == .revoked, let until = entry.until else { return false }
        return until <= now
    }

    private static func vacancy(
        _ usable: [StoredSigningKey],
        active: Int,
        _ policy: SigningKeyPolicy,
        at now: Timestamp
    ) -> Vacancy? {
        guard let last = usable.last else { return Vacancy(predecessor: nil, activeFrom: now) }
        let end = last.activeFrom + policy.rotation
        guard active == usable.count - 1, now >= end - policy.publication else { return nil }
        return Vacancy(predecessor: last.keyID, activeFrom: max(end, now + policy.publication))
    }
}
