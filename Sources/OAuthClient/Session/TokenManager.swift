// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
import OAuthSystem
import SigningKeys

/// Gives out the access token of a session, fresh, and refreshes it once for all who wait.
///
/// A network failure, a server that is down or a store that is locked leaves the session as it is; `invalid_grant` ends it,
/// and so do new tokens that cannot be stored. While the process runs, a clock counts that nobody sets; a wrong wall clock
/// costs a refresh at most, since the answer of the API decides.
public actor TokenManager {
    private struct Current {
        let tokens: TokenSet
        let lifetime: TokenLifetime
    }

    /// How long to leave a server alone after a refresh that was not urgent failed.
    private static let pause = Duration.seconds(30)

    /// How many tokens for other resources are kept.
    private static let maximumOthers = 64

    private let client: OAuth2Client
    private var current: Current?
    /// The refresh that runs.
    ///
    /// Set before anything is awaited, or else a second caller would start another.
    private var running: Task<TokenSet, any Error>?
    /// The refresh that runs for tokens for other resources: it may replace the refresh token too.
    private var fetching: Task<TokenSet, any Error>?
    /// Tokens for other resources than the session's own.
    private var others: [[String]: Current] = [:]
    /// When a refresh that is not urgent may be tried again.
    private var nextAttempt = Duration.zero

    init(client: OAuth2Client, tokens: TokenSet) {
        self.client = client
        current = Self.current(tokens, client)
    }

    /// What happens to the account from now on: refreshes, the end of the session, a lost key.
    ///
    /// - Returns: A stream that goes on over the end of the session, as the account may be signed in again. Who does not read
    ///   keeps the newest 64 events.
    public nonisolated func events() -> AsyncStream<SessionEvent> {
        client.events.stream()
    }

    /// The tokens; refreshed first when the access token has expired, or will within
    /// ``OAuth2ClientConfiguration/refreshAhead``.
    ///
    /// As long as the access token is good, a refresh that fails is no error.
    ///
    /// - Returns: The tokens.
    /// - Throws: ``OAuthClientError/Code/sessionEnded``, and the codes of ``refresh(replacing:)``.
    public func fetch() async throws(OAuthClientError) -> TokenSet {
        let current = try signedIn()
        let now = client.monotonicClock.elapsed()
        guard current.tokens.refreshToken != nil, current.lifetime.isDue(at: now) else { return current.tokens }
        let isOver = current.lifetime.isOver(at: now)
        guard isOver || now >= nextAttempt else { return current.tokens }
        do {
            // Awaited, not left to itself: a process that ends meanwhile would lose the new refresh token.
            return try await refresh(replacing: current.tokens.accessToken)
        } catch {
            guard !isOver, self.current?.tokens == current.tokens else { throw error }
            return current.tokens
        }
    }

    /// Refreshes, or waits for the refresh that runs already.
    ///
    /// A refresh that has begun is never cancelled, also when everyone who waits is: the server may have spent the old refresh
    /// token already.
    ///
    /// - Parameter failed: The access token that was refused; when it is not the newest one, the newest is the answer.
    /// - Returns: The new tokens, stored already.
    /// - Throws: ``OAuthClientError/Code/sessionEnded`` when the user must sign in again,
    ///   ``OAuthClientError/Code/serverUnavailable``, ``OAuthClientError/Code/transportFailed``,
    ///   ``OAuthClientError/Code/storageFailed``, ``OAuthClientError/Code/keyUnavailable``,
    ///   ``OAuthClientError/Code/keyMissing``, ``OAuthClientError/Code/keyMismatch``,
    ///   ``OAuthClientError/Code/serverRejected``, ``OAuthClientError/Code/malformedResponse``,
    ///   ``OAuthClientError/Code/tokenTypeRejected``.
    @discardableResult
    public func refresh(replacing failed: AccessToken? = nil) async throws(OAuthClientError) -> TokenSet {
        while true {
            if let running { return try await Self.result(of: running) }
            guard let fetching else { break }
            _ = try? await Self.result(of: fetching)
        }
        let tokens = try signedIn().tokens
        if let failed, tokens.accessToken != failed { return tokens }
        let refresher = TokenRefresher(client: client, tokens: tokens)
        let task = Task { try await self.run(refresher) }
        running = task
        return try await Self.result(of: task)
    }

    /// Revokes the tokens at the server, then deletes them and the key here, whatever the server says.
    ///
    /// A refresh that runs is waited for, in this process and in others that share the store: its tokens are revoked.
    ///
    /// - Throws: The first thing that went wrong. The tokens are deleted here nevertheless, unless the code is
    ///   ``OAuthClientError/Code/storageFailed``; at the server they may live on until they expire.
    ///
    /// ## Specification
    ///
    /// [RFC 7009 §2](https://www.rfc-editor.org/rfc/rfc7009#section-2)
    public func revoke() async throws(OAuthClientError) {
        while let task = running ?? fetching { _ = try? await Self.result(of: task) }
        let ending = SessionTermination(client: client, tokens: current?.tokens)
        // Before anything is awaited: from here on nobody gets a token.
        current = nil
        others = [:]
        // Whoever gives up waiting must not leave it half done.
        let failure = await Task { await ending.run() }.value
        client.events.send(.signedOut)
        if let failure { throw failure }
    }

    /// The tokens as they are, expired or not.
    func signedInTokens() throws(OAuthClientError) -> TokenSet { try signedIn().tokens }

    private func signedIn() throws(OAuthClientError) -> Current {
        guard let current else { throw OAuthClientError(.sessionEnded, "the session is over; sign in again") }
        return current
    }

    private func run(_ refresher: TokenRefresher) async throws -> TokenSet {
        defer { running = nil }
        do {
            let outcome = try await refresher.refresh()
            current = Self.current(outcome.tokens, client)
            client.events.send(outcome.event)
            reportDowngrade(from: refresher.tokens, to: outcome.tokens)
            return outcome.tokens
        } catch let lost as TokenRefresher.SessionLost {
            end(lost)
            throw lost.error
        } catch {
            leaveAlone(after: error)
            client.events.send(.refreshFailed)
            throw error
        }
    }

    private func reportDowngrade(from earlier: TokenSet, to newer: TokenSet) {
        if earlier.tokenType == .dpop, newer.tokenType != .dpop { client.events.send(.bindingDowngraded) }
    }

    private func leaveAlone(after error: any Error) {
        let asked = (error as? OAuthClientError)?.retryAfter ?? .zero
        nextAttempt = client.monotonicClock.elapsed() + max(asked, Self.pause)
    }

    /// An access token for other resources, from the same refresh token; what the session itself uses stays as it is.
    ///
    /// It is kept in memory until shortly before it expires; as long as it is good, a refresh that fails is no error. What a
    /// server gives for which resource is its decision: of a sign-in it is mostly what ``AuthorizationOptions/resources`` asked
    /// for.
    ///
    /// - Parameters:
    ///   - resources: What the access token is for: absolute URIs without a fragment.
    ///   - failed: The access token that was refused; when it is not the newest one, the newest is the answer.
    /// - Returns: The tokens. The refresh token among them is the session's: do not use it.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, and the codes of ``refresh(replacing:)``. A server that refuses
    ///   the resource says `invalid_target` in ``OAuthClientError/answer``; the session goes on.
    ///
    /// ## Specification
    ///
    /// [RFC 8707 §2.2](https://www.rfc-editor.org/rfc/rfc8707#section-2.2)
    public func fetch(
        resources: [String],
        replacing failed: AccessToken? = nil
    ) async throws(OAuthClientError) -> TokenSet {
        // Refreshes take turns: each may replace the refresh token.
        while let task = running ?? fetching { _ = try? await Self.result(of: task) }
        let tokens = try signedIn().tokens
        let now = client.monotonicClock.elapsed()
        // What has expired is of no use to anybody.
        others = others.filter { !$0.value.lifetime.isOver(at: now) }
        let known = others[resources].flatMap { $0.tokens.accessToken == failed ? nil : $0 }
        if let known, !known.lifetime.isDue(at: now) || now < nextAttempt { return known.tokens }
        let refresher = TokenRefresher(client: client, tokens: tokens, resources: resources)
        let task = Task { try await self.run(refresher, for: resources) }
        fetching = task
        do {
            return try await Self.result(of: task)
        } catch {
            guard let known, others[resources]?.tokens == known.tokens,
                !known.lifetime.isOver(at: client.monotonicClock.elapsed())
            else { throw error }
            return known.tokens
        }
    }

    private func run(_ refresher: TokenRefresher, for resources: [String]) async throws -> TokenSet {
        defer { fetching = nil }
        do {
            let outcome = try await refresher.refresh()
            current = Self.current(outcome.tokens, client)
            if others.count >= Self.maximumOthers { others = [:] }
            others[resources] = Self.current(outcome.fetched, client)
            reportDowngrade(from: refresher.tokens, to: outcome.fetched)
            return outcome.fetched
        } catch let lost as TokenRefresher.SessionLost {
            end(lost)
            throw lost.error
        } catch {
            leaveAlone(after: error)
            throw error
        }
    }

    private func end(_ lost: TokenRefresher.SessionLost) {
        current = nil
        others = [:]
        client.events.send(lost.event)
    }

    private static func current(_ tokens: TokenSet, _ client: OAuth2Client) -> Current {
        let lifetime = TokenLifetime(
            expiresAt: tokens.expiresAt,
            ahead: client.configuration.refreshAhead,
            now: client.clock.now(),
            elapsed: client.monotonicClock.elapsed(),
            entropy: client.entropy
        )
        return Current(tokens: tokens, lifetime: lifetime)
    }

    private static func result(of task: Task<TokenSet, any Error>) async throws(OAuthClientError) -> TokenSet {
        do {
            return try await task.value
        } catch {
            throw OAuthClientError(error, otherwise: .transportFailed, "the refresh failed")
        }
    }
}
