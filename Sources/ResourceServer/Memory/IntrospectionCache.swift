// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthCrypto
import OAuthSystem
import Synchronization

/// Answers about tokens, for a few seconds; and one question at a time about each token.
final class IntrospectionCache: Sendable {
    /// How long the answer is used that a token is not active: random tokens must not become a flood of questions.
    private static let refusalLifetime: Duration = .seconds(5)
    /// How many questions are under way at once.
    private static let maximumRunning = 64
    /// Beyond this number, only questions about tokens that were active before may start: made-up tokens must not take all
    /// places.
    private static let maximumUnknown = 48

    private struct Answer: Sendable {
        /// `nil` for a token that is not active.
        let claims: JWTClaims?
        let since: Timestamp
    }

    private let lifetime: Duration
    private let active: TokenTable<Answer>
    /// Apart from the others, so that made-up tokens do not push out good ones.
    private let refused: TokenTable<Answer>
    private let running = Mutex(Running())

    private struct Running {
        var count = 0
        /// Those that others may wait for too; none without a lifetime, since each request then asks after it arrived.
        var shared: [SHA256Digest: Task<JWTClaims?, any Error>] = [:]
    }

    init(lifetime: Duration, capacity: Int) {
        self.lifetime = lifetime
        active = TokenTable(capacity: lifetime > .zero ? capacity : 0)
        refused = TokenTable(capacity: lifetime > .zero ? capacity : 0)
    }

    /// The claims of a token, from the cache or by asking.
    ///
    /// - Returns: The claims; `nil` if the token is not active.
    /// - Throws: An error of the question; ``OAuthCoreError`` if too many are under way.
    func claims(
        of token: String,
        at now: Timestamp,
        asking question: @escaping @Sendable () async throws -> JWTClaims?
    ) async throws -> JWTClaims? {
        let digest = TokenTable<Answer>.digest(of: token)
        if let known = known(digest, at: now) { return known.claims }
        // Without a cache it is not known which tokens were active.
        let isUnknown = lifetime > .zero && active[digest] == nil
        let limit = isUnknown ? Self.maximumUnknown : Self.maximumRunning
        let task = try running.withLock { running throws(OAuthCoreError) in
            if let task = running.shared[digest] { return task }
            guard running.count < limit else {
                throw OAuthCoreError(.transportFailed, "too many requests to the introspection endpoint are under way")
            }
            let task = Task { try await self.ask(question, about: digest, at: now) }
            running.count += 1
            if lifetime > .zero { running.shared[digest] = task }
            return task
        }
        return try await task.value
    }

    private func ask(
        _ question: @Sendable () async throws -> JWTClaims?,
        about digest: SHA256Digest,
        at now: Timestamp
    ) async throws -> JWTClaims? {
        defer {
            running.withLock { running in
                running.count -= 1
                running.shared[digest] = nil
            }
        }
        let claims = try await question()
        let table = claims == nil ? refused : active
        table.set(Answer(claims: claims, since: now), for: digest)
        return claims
    }

    private func known(_ digest: SHA256Digest, at now: Timestamp) -> Answer? {
        if let answer = refused[digest], isFresh(answer, for: min(lifetime, Self.refusalLifetime), at: now) {
            return answer
        }
        guard let answer = active[digest], isFresh(answer, for: lifetime, at: now) else { return nil }
        return answer
    }

    private func isFresh(_ answer: Answer, for lifetime: Duration, at now: Timestamp) -> Bool {
        answer.since <= now && now - answer.since < lifetime
    }
}
