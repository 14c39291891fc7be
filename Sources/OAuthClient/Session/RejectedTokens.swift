// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import Synchronization

/// Remembers the APIs that reject even new access tokens, so that their calls do not cause one refresh each.
///
/// An API that expects another audience rejects every token. Without a limit, each call to it would use up a refresh
/// token.
final class RejectedTokens: Sendable {
    /// What to do when an API rejects an access token.
    enum Decision {
        case refresh
        /// The token was new: no refresh for a while.
        case giveUp
        /// As long as a pause lasts.
        case wait
    }

    private struct Entry {
        /// The token of the last refresh that this API caused.
        var token: AccessToken
        var pausedUntil: Duration?
        var pause = RejectedTokens.firstPause
    }

    private static let firstPause = Duration.seconds(60)
    private static let longestPause = Duration.seconds(900)
    private static let maximumCount = 64

    private let entries = Mutex<[String: Entry]>([:])
    private let anyAccepted = Atomic<Bool>(false)

    /// Whether an API has accepted a token of the session.
    var hasAccepted: Bool { anyAccepted.load(ordering: .relaxed) }

    /// Whether an API has caused a refresh, and has accepted no token since.
    var areAny: Bool { entries.withLock { !$0.isEmpty } }

    /// Decides whether a refresh may help.
    func decide(_ token: AccessToken, rejectedBy origin: String, at now: Duration) -> Decision {
        entries.withLock { entries in
            guard var entry = entries[origin] else { return .refresh }
            if let end = entry.pausedUntil { return now < end ? .wait : .refresh }
            guard entry.token == token else { return .refresh }
            entry.pausedUntil = now + entry.pause
            entries[origin] = entry
            return .giveUp
        }
    }

    /// Notes that an API caused a refresh.
    func refreshed(_ token: AccessToken, for origin: String) {
        entries.withLock { entries in
            if entries[origin] == nil, entries.count >= Self.maximumCount { entries = [:] }
            let earlier = entries[origin]
            if earlier?.token == token { return }
            var entry = Entry(token: token)
            if let earlier, earlier.pausedUntil != nil { entry.pause = min(earlier.pause * 2, Self.longestPause) }
            entries[origin] = entry
        }
    }

    /// Notes that an API accepted a token.
    func accepted(by origin: String) {
        if !hasAccepted { anyAccepted.store(true, ordering: .relaxed) }
        entries.withLock { entries in
            if !entries.isEmpty { entries[origin] = nil }
        }
    }
}
