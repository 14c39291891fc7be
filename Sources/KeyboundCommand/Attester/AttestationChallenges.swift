// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON
import Synchronization

/// The challenges of an attester that wait for a request: each works once, and for two minutes.
final class AttestationChallenges: Sendable {
    static let lifetime = Duration.seconds(120)
    /// Beyond it new challenges are refused until old ones end.
    private static let maximumCount = 100_000

    private let entropy: any Entropy
    private let waiting = Mutex<[String: Timestamp]>([:])

    init(_ entropy: any Entropy) {
        self.entropy = entropy
    }

    /// A new challenge: 43 characters of base64url, 32 bytes.
    ///
    /// - Returns: The challenge; `nil` if too many wait.
    func make(at now: Timestamp) -> String? {
        let challenge = Base64URL.encode(entropy.bytes(32))
        return waiting.withLock { waiting in
            if waiting.count >= Self.maximumCount { waiting = waiting.filter { now < $0.value } }
            guard waiting.count < Self.maximumCount else { return nil }
            waiting[challenge] = now + Self.lifetime
            return challenge
        }
    }

    /// Uses a challenge up, whatever becomes of its request.
    ///
    /// - Returns: Whether it was issued, is not too old, and was not used before.
    func use(_ challenge: String, at now: Timestamp) -> Bool {
        let end = waiting.withLock { $0.removeValue(forKey: challenge) }
        return end.map { now < $0 } ?? false
    }
}
