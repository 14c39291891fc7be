// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import OAuthSystem
import StrictJSON
import Synchronization

/// The challenges of an attester: each works once, and for two minutes.
///
/// Only used ones are stored, so nobody can use up the memory for them by requesting many. In each period of two minutes
/// at most 250,000 are used, about 2,000 a second; further ones are refused until the next period, and none is
/// forgotten too early. So at most 500,000 are remembered: those of this period and of the one before.
///
/// A challenge is `time ‖ random bytes ‖ HMAC-SHA256(key, time ‖ random bytes)`, cut to 32 bytes, and the key is one of
/// this process. If the clock is set back, there is a new one, as after a restart: used challenges that were forgotten must
/// not work again, and those of the time ahead must take no room until the clock has caught up.
final class AttestationChallenges: Sendable {
    /// What comes of using a challenge.
    enum Use {
        case accepted
        /// It was not issued, is too old, or was used before.
        case refused
        /// Too many were used in this period of two minutes.
        case full
    }

    static let lifetime = Duration.seconds(120)
    private static let count = 32
    private static let timeCount = 8
    /// Time and random bytes; the rest is the code.
    private static let headCount = 16

    /// The used challenges of the last two minutes, and some older ones.
    private struct Used {
        /// When `recent` was empty.
        var start = Timestamp(secondsSince1970: 0)
        var recent: Set<[UInt8]> = []
        var earlier: Set<[UInt8]> = []

        /// Stores one that was not there before, if there is room.
        mutating func insert(_ head: [UInt8], at now: Timestamp, atMost maximum: Int) -> Use {
            if now - start >= AttestationChallenges.lifetime {
                // What was used before the start has ended.
                (earlier, recent, start) = (recent, [], now)
            }
            guard !earlier.contains(head), !recent.contains(head) else { return .refused }
            guard recent.count < maximum else { return .full }
            recent.insert(head)
            return .accepted
        }
    }

    private struct State {
        var key: HMACSHA256Key
        /// The latest time that was seen with this key.
        var latest = Timestamp(secondsSince1970: 0)
        var used = Used()
    }

    /// Two calls may come in another order than that of their times, and NTP corrects parts of a second.
    private static let step = Duration.seconds(1)

    private let entropy: any Entropy
    private let maximum: Int
    private let state: Mutex<State>

    /// Makes a key for challenges.
    ///
    /// - Parameters:
    ///   - entropy: The source of the key and of challenges.
    ///   - maximum: How many may be used in a period of two minutes; twice as many are remembered.
    init(_ entropy: any Entropy, maximum: Int = 250_000) {
        self.entropy = entropy
        self.maximum = maximum
        state = Mutex(State(key: HMACSHA256Key(entropy.bytes(32))))
    }

    /// A new challenge: 43 characters of base64url, 32 bytes.
    func make(at now: Timestamp) -> String {
        let head = now.millisecondsSince1970.bigEndianBytes + entropy.bytes(Self.headCount - Self.timeCount)
        return Base64URL.encode(head + Self.code(of: head, key(at: now)))
    }

    /// Uses a challenge up, whatever becomes of its request.
    ///
    /// - Returns: Whether it was issued, is not too old, was not used before, and could be remembered.
    func use(_ challenge: String, at now: Timestamp) -> Use {
        guard let bytes = try? Base64URL.decode(challenge), bytes.count == Self.count else { return .refused }
        let head = Array(bytes.prefix(Self.headCount))
        let code = Self.code(of: head, key(at: now))
        guard ConstantTime.areEqual(code, Array(bytes.dropFirst(Self.headCount))) else { return .refused }
        let milliseconds = head.prefix(Self.timeCount).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard now < Timestamp(millisecondsSince1970: milliseconds) + Self.lifetime else { return .refused }
        return state.withLock { $0.used.insert(head, at: now, atMost: maximum) }
    }

    /// The key of challenges: a new one if the clock was set back.
    private func key(at now: Timestamp) -> HMACSHA256Key {
        state.withLock { state in
            if now + Self.step < state.latest { state = State(key: HMACSHA256Key(entropy.bytes(32))) }
            state.latest = max(state.latest, now)
            return state.key
        }
    }

    private static func code(of head: [UInt8], _ key: HMACSHA256Key) -> [UInt8] {
        Array(key.authenticationCode(for: head).bytes.prefix(count - headCount))
    }
}
