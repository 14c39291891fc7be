// SPDX-License-Identifier: Apache-2.0

package import JOSE
package import OAuthSystem
package import ServerStorage

/// Derives the states of the keys of one algorithm from their stored times.
///
/// A pure function, so that every process gets the same result.
package struct SigningKeySchedule: Sendable, Hashable {
    /// A key and its state.
    package struct Entry: Sendable, Hashable {
        /// The key.
        package let key: StoredSigningKey
        /// The state.
        package let state: SigningKeyState
        /// When the state began.
        package let since: Timestamp
        /// When the next state begins, or the key is deleted; `nil` if not known yet.
        package let until: Timestamp?
    }

    /// A key that must be made.
    package struct Vacancy: Sendable, Hashable {
        /// The key that it follows; `nil` for the first key.
        package let predecessor: String?
        /// When it should become active.
        package let activeFrom: Timestamp
    }

    /// The active key first, then the next ones, the retired ones from newest to oldest, and the revoked ones.
    package let entries: [Entry]
    /// The key that must be made now, if any.
    package let vacancy: Vacancy?
    /// Keys that are no longer needed.
    package let removable: [String]

    /// Computes the states.
    ///
    /// - Parameters:
    ///   - keys: The stored keys, of all algorithms.
    ///   - algorithm: The algorithm.
    ///   - policy: When keys are rotated.
    ///   - now: The current time.
    package init(
        _ keys: [StoredSigningKey],
        of algorithm: SignatureAlgorithm,
        _ policy: SigningKeyPolicy,
        at now: Timestamp
    ) {
        let all = keys.filter { $0.algorithm == algorithm }
        let usable = all.filter { $0.revokedAt == nil }.sorted(by: StoredSigningKey.isEarlier)
        // If the clock was set back, the first key is active: while there are keys, one of them signs.
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

    /// The key that signs; `nil` if there is none yet.
    package var active: StoredSigningKey? { entries.first { $0.state == .active }?.key }

    /// The key after the active one, if it was already made.
    package var next: StoredSigningKey? { entries.first { $0.state == .next }?.key }

    /// The keys that verify tokens, now or soon.
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
