// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
public import OAuthSystem
import SigningKeys

/// Supplies the access token of a session, and refreshes it once for all callers that wait.
///
/// A network failure, a server that is down or a locked store does not end the session. `invalid_grant` ends it, and so
/// do new tokens that cannot be stored. While the process runs, expiry is measured by the monotonic clock. A wrong wall
/// clock costs one refresh at most, since the response of the API decides.
public actor TokenManager: RedactedSecret {
    private struct Current {
        let tokens: TokenSet
        let lifetime: TokenLifetime
    }

    /// The maximum number of cached tokens for other resources.
    private static let maximumOthers = 64

    private let client: OAuth2Client
    /// The APIs that reject even new tokens.
    nonisolated let rejections = RejectedTokens()
    /// The step-ups: one runs at a time, for all calls that meet a demand together.
    nonisolated let stepUps = SharedWork<Void>()
    /// How tokens are renewed; `nil` for the refresh token.
    nonisolated let renewal: TokenRenewal?
    private var current: Current?
    /// The refresh that is running.
    ///
    /// Set before the first suspension point; otherwise a second caller would start another refresh.
    private(set) var running: Task<TokenSet, any Error>?
    /// The running refresh for other resources; it may replace the refresh token too.
    private(set) var fetching: Task<TokenSet, any Error>?
    /// Access tokens for other resources than the session's own.
    private var others: [[String]: Current] = [:]
    /// When a refresh may be tried again.
    private var pause = RefreshPause()
    /// Whether the server has renewed the tokens of the session.
    private(set) var hasRefreshed = false
    /// The sign-out that runs; `nil` before.
    private var ending: Task<SignOutResult, Never>?

    init(client: OAuth2Client, tokens: TokenSet, renewal: TokenRenewal? = nil) {
        self.client = client
        self.renewal = renewal
        current = Self.current(tokens, client)
    }

    /// Reports events of the account: refreshes, the end of the session, a lost key.
    ///
    /// - Returns: A stream of the events from now on. It continues after the end of the session, as the user may sign
    ///   in to the account again. While the caller does not read, the stream keeps the newest 64 events.
    public nonisolated func events() -> AsyncStream<SessionEvent> {
        client.events.stream()
    }

    /// Returns the tokens.
    ///
    /// Refreshes them first if the access token has expired, or will expire within
    /// ``OAuth2ClientConfiguration/refreshAhead``.
    ///
    /// A failed refresh is not an error while the access token is still valid.
    ///
    /// - Returns: The tokens.
    /// - Throws: ``OAuthClientError/Code/sessionEnded``, and the codes of ``refresh(replacing:)``.
    public func fetch() async throws(OAuthClientError) -> TokenSet {
        let current = try signedIn()
        let now = client.monotonicClock.elapsed()
        // An earlier process may have sent a refresh and not stored the outcome: soon it is too late to repeat it.
        let isOpen = current.tokens.record.mustRepeatRefresh(at: client.clock.now())
        guard isRenewable(current.tokens), isOpen || current.lifetime.isDue(at: now) else {
            return current.tokens
        }
        let isOver = current.lifetime.isOver(at: now)
        guard isOver || pause.allowsEarlyRefresh(at: now) else { return current.tokens }
        do {
            // Awaited, not started in the background: a process that ended meanwhile would lose the new refresh token.
            return try await refresh(replacing: current.tokens.accessToken)
        } catch {
            guard !isOver, error.code != .cancelled, self.current?.tokens == current.tokens else { throw error }
            return current.tokens
        }
    }

    /// Refreshes the tokens, or waits for the refresh that is already running.
    ///
    /// A running refresh is never cancelled, even if all waiting callers are: the server may already have consumed the
    /// old refresh token. A caller that is cancelled stops waiting at once.
    ///
    /// A refresh that failed is followed by a pause: as long as the server asked for (`Retry-After`, at most an hour), or
    /// else up to 1, 2, 4 and at last 60 seconds. Callers that need a token meanwhile get
    /// ``OAuthClientError/Code/serverUnavailable`` with the remaining time in ``OAuthClientError/retryAfter``, and
    /// nothing is sent. A call without `failed` cuts short the pause, but not a `Retry-After`.
    ///
    /// - Parameter failed: The access token that was rejected. If it is not the newest one, the newest is returned
    ///   without a refresh.
    /// - Returns: The new tokens, already stored.
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
            do {
                _ = try await Self.result(of: fetching)
            } catch {
                if error.code == .cancelled { throw error }
            }
        }
        let tokens = try signedIn().tokens
        if let failed, tokens.accessToken != failed { return tokens }
        let isAskedFor = failed == nil
        try pause.requireTurn(at: client.monotonicClock.elapsed(), asked: isAskedFor)
        let refresher = TokenRefresher(client: client, tokens: tokens, renewal: renewal, isAskedFor: isAskedFor)
        let task = Task { try await self.run(refresher) }
        running = task
        return try await Self.result(of: task)
    }

    /// Signs out: forgets the tokens on this device at once, then deletes the key and revokes the tokens at the server.
    ///
    /// Nothing of this waits for the network before the device has forgotten the session. A revocation that could not be
    /// sent is tried again at the next start, for seven days, and when new tokens of the account take the place of the old
    /// ones. Until then the store keeps those, marked as ended.
    /// A session that has ended already is left alone, and so is a newer session of the account.
    ///
    /// - Returns: What was done. A caller that is cancelled does not interrupt it.
    ///
    /// ## Specification
    ///
    /// [RFC 7009 §2](https://www.rfc-editor.org/rfc/rfc7009#section-2)
    @discardableResult
    public func revoke() async -> SignOutResult {
        if let ending { return await ending.value }
        // Before the first suspension point: from here on no caller gets a token.
        guard let tokens = current?.tokens else { return .ofNoSession }
        // Those of a renewal do not end with a refresh token.
        let rest = renewal == nil ? [] : others.values.map(\.tokens)
        current = nil
        others = [:]
        let isStored = renewal?.isStored ?? true
        let termination = SessionTermination(client: client, tokens: tokens, isStored: isStored)
        let task = Task { [client] in
            async let discarded: Void = client.discard(rest)
            var result = await termination.run()
            await discarded
            result.endSessionURL = await client.endSessionURL(of: tokens)
            return result
        }
        ending = task
        let result = await task.value
        client.events.send(.signedOut)
        return result
    }

    /// Replaces the tokens with those of another sign-in of the same user; the session stays.
    func replace(with new: TokenSet) async throws(OAuthClientError) {
        while let task = running ?? fetching { _ = try? await Self.result(of: task) }
        let old: TokenSet
        do throws(OAuthClientError) {
            old = try signedIn().tokens
        } catch {
            await client.discard(new)
            throw error
        }
        let refresher = TokenRefresher(client: client, tokens: old)
        let task = Task { try await self.run(replacing: refresher, with: new.continuing(old)) }
        running = task
        _ = try await Self.result(of: task)
        // Tokens that are bound to the same key are of no use without it.
        if old.keyThumbprint == nil, old.canBeRevoked(besides: new) { await client.discard(old) }
    }

    private func run(replacing refresher: TokenRefresher, with new: TokenSet) async throws -> TokenSet {
        defer { running = nil }
        do {
            try await accept(try await refresher.replace(with: new))
            others = [:]
            return new
        } catch let lost as TokenRefresher.SessionLost {
            end(lost)
            throw lost.error
        }
    }

    /// Whether the app has signed the user out; not whether the session ended in another way.
    var isSignedOut: Bool { ending != nil }

    /// Whether the access token has expired, and the server does not know the client that would refresh it.
    var needsAnotherClient: Bool {
        pause.isOfUnknownClient && current?.lifetime.isOver(at: client.monotonicClock.elapsed()) == true
    }

    /// Whether new tokens can be had without the user.
    nonisolated func isRenewable(_ tokens: TokenSet) -> Bool {
        renewal != nil || tokens.refreshToken != nil
    }

    /// The current tokens, expired or not.
    func signedInTokens() throws(OAuthClientError) -> TokenSet { try signedIn().tokens }

    private func signedIn() throws(OAuthClientError) -> Current {
        guard let current else { throw OAuthClientError(.sessionEnded, "the session is over; sign in again") }
        return current
    }

    private func run(_ refresher: TokenRefresher) async throws -> TokenSet {
        defer { running = nil }
        do {
            let outcome = try await refresher.refresh()
            try await accept(outcome)
            client.events.send(outcome.event)
            reportDowngrade(from: refresher.tokens, to: outcome.tokens)
            return outcome.tokens
        } catch let lost as TokenRefresher.SessionLost {
            end(lost)
            throw lost.error
        } catch {
            note(error, of: refresher)
            if !Self.wasNotSent(error) {
                let isRefusal = (error as? OAuthClientError)?.isRefusalOfClient == true
                client.events.send(isRefusal ? .clientRefused : .refreshFailed)
            }
            throw error
        }
    }

    /// Whether another process has just tried.
    private static func wasNotSent(_ error: any Error) -> Bool {
        (error as? OAuthClientError)?.underlying is RefreshNotSent
    }

    private func accept(_ outcome: TokenRefresher.Outcome) async throws(OAuthClientError) {
        guard ending == nil else {
            // The sign-out does not know tokens of a renewal that are not stored. Revoking stored ones twice does no harm.
            if renewal != nil { await client.discard(outcome.fetched) }
            throw OAuthClientError(.sessionEnded, "the user signed out during the refresh")
        }
        pause.succeeded()
        hasRefreshed = hasRefreshed || outcome.event == .refreshed
        current = Self.current(outcome.tokens, client)
    }

    private func reportDowngrade(from earlier: TokenSet, to newer: TokenSet) {
        if earlier.tokenType == .dpop, newer.tokenType != .dpop { client.events.send(.bindingDowngraded) }
    }

    private func note(_ error: any Error, of refresher: TokenRefresher) {
        guard let error = error as? OAuthClientError else { return }
        pause.failed(error, at: client.monotonicClock.elapsed(), refresher.fraction)
    }

    /// Gets an access token for other resources with the same refresh token.
    ///
    /// The session's own access token does not change.
    ///
    /// It is cached in memory until shortly before it expires. A failed refresh is not an error while the cached token
    /// is still valid. The server decides which resources it issues tokens for: usually those of
    /// ``AuthorizationOptions/resources`` of the sign-in.
    ///
    /// - Parameters:
    ///   - resources: The resources that the access token is for: absolute URIs without a fragment.
    ///   - failed: The access token that was rejected. If it is not the newest one, the newest is returned without a
    ///     refresh.
    /// - Returns: The tokens. Their refresh token is the session's: do not use it.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, and the codes of ``refresh(replacing:)``. If the server
    ///   rejects the resource, ``OAuthClientError/answer`` has `invalid_target`, and the session continues.
    ///
    /// ## Specification
    ///
    /// [RFC 8707 §2.2](https://www.rfc-editor.org/rfc/rfc8707#section-2.2)
    public func fetch(
        resources: [String],
        replacing failed: AccessToken? = nil
    ) async throws(OAuthClientError) -> TokenSet {
        // Refreshes run one after another: each may replace the refresh token.
        while let task = running ?? fetching {
            do {
                _ = try await Self.result(of: task)
            } catch {
                if error.code == .cancelled { throw error }
            }
        }
        let tokens = try signedIn().tokens
        let now = client.monotonicClock.elapsed()
        // Expired tokens are useless.
        others = others.filter { !$0.value.lifetime.isOver(at: now) }
        let known = others[resources].flatMap { $0.tokens.accessToken == failed ? nil : $0 }
        if let known, !known.lifetime.isDue(at: now) || !pause.allowsEarlyRefresh(at: now) { return known.tokens }
        try pause.requireTurn(at: now, asked: false)
        let refresher = TokenRefresher(client: client, tokens: tokens, resources: resources, renewal: renewal)
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
            try await accept(outcome)
            if others.count >= Self.maximumOthers { others = [:] }
            others[resources] = Self.current(outcome.fetched, client)
            reportDowngrade(from: refresher.tokens, to: outcome.fetched)
            return outcome.fetched
        } catch let lost as TokenRefresher.SessionLost {
            end(lost)
            throw lost.error
        } catch {
            note(error, of: refresher)
            throw error
        }
    }

    private func end(_ lost: TokenRefresher.SessionLost) {
        // Who signed out was told.
        guard ending == nil else { return }
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
        try await Uncancelled.value(of: task)
    }
}
