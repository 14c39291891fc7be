// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

/// One refresh, from reading the current tokens to storing the new ones.
struct TokenRefresher: Sendable {
    /// The outcome of a refresh.
    struct Outcome: Sendable {
        /// The tokens of the session, stored.
        let tokens: TokenSet
        /// The requested tokens: those of the session, or others for other resources.
        let fetched: TokenSet
        let event: SessionEvent

        init(tokens: TokenSet, fetched: TokenSet? = nil, event: SessionEvent) {
            self.tokens = tokens
            self.fetched = fetched ?? tokens
            self.event = event
        }
    }

    /// A failure that no later refresh can repair.
    struct SessionLost: Error {
        let event: SessionEvent
        let error: OAuthClientError
    }

    let client: OAuth2Client
    let tokens: TokenSet
    /// The resources that the access token is for; `nil` for the access token of the session.
    let resources: [String]?
    /// How tokens without a refresh token are renewed; `nil` to use the refresh token.
    let renewal: TokenRenewal?
    /// What is left of the wait after a failure.
    let fraction: RefreshBackOff.Fraction
    /// Whether the caller asked for a refresh, rather than for a token.
    let isAskedFor: Bool

    init(
        client: OAuth2Client,
        tokens: TokenSet,
        resources: [String]? = nil,
        renewal: TokenRenewal? = nil,
        isAskedFor: Bool = false
    ) {
        self.client = client
        self.tokens = tokens
        self.resources = resources
        self.renewal = renewal
        self.isAskedFor = isAskedFor
        fraction = RefreshBackOff.Fraction(client.entropy)
    }

    /// The tokens of such a response are not used, and nothing is known of the session any more.
    private static let endsSession: Set<OAuthClientError.Code> = [
        .tokenTypeRejected, .boundTokensNotAskedFor, .idTokenRejected,
    ]

    /// Refreshes, unless another process that shares the store has already done so.
    ///
    /// - Throws: ``SessionLost``, and ``OAuthClientError`` for temporary failures.
    func refresh() async throws -> Outcome {
        if let renewal { return try await refresh(by: renewal) }
        do {
            return try await client.tokenStore.withRefreshLock(on: client.account) {
                let stored = try await storedTokens()
                if resources == nil, isNewer(stored) { return Outcome(tokens: stored, event: .adopted) }
                return try await refresh(stored)
            }
        } catch let lost as SessionLost {
            throw lost
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be read or locked")
        }
    }

    private func refresh(by renewal: TokenRenewal) async throws -> Outcome {
        let renewed: TokenRenewal.Renewed
        do throws(OAuthClientError) {
            renewed = try await renewal.renew(tokens, resources)
        } catch {
            guard error.code == .sessionEnded else { throw error }
            throw SessionLost(event: .signedOut, error: error)
        }
        return Outcome(
            tokens: resources == nil ? renewed.tokens : tokens,
            fetched: renewed.tokens,
            event: renewed.isAdopted ? .adopted : .refreshed
        )
    }

    /// Stores tokens of another sign-in of the same user in place of the session's.
    func replace(with new: TokenSet) async throws -> Outcome {
        do {
            return try await client.tokenStore.withRefreshLock(on: client.account) {
                do {
                    try await client.noteBinding(of: new)
                    guard case .made = try await client.change(isOwn, to: { _ in new }) else {
                        throw Self.signedOut("the user signed out, or another user signed in")
                    }
                } catch {
                    await client.discard(new)
                    throw error
                }
                return Outcome(tokens: new, event: .refreshed)
            }
        } catch let lost as SessionLost {
            throw lost
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be read or locked")
        }
    }

    private func storedTokens() async throws -> TokenSet {
        guard let stored = try await client.storedTokens(), !stored.isEnded else {
            throw Self.signedOut("the account was signed out; sign in again")
        }
        guard stored.continuesSession(of: tokens) else {
            throw Self.signedOut("another sign-in has taken the place of this session")
        }
        return stored
    }

    private func isNewer(_ stored: TokenSet) -> Bool {
        let now = client.clock.now()
        return stored.accessToken != tokens.accessToken && !stored.isExpired(at: now)
            && !stored.record.mustRepeatRefresh(at: now)
    }

    private func refresh(_ stored: TokenSet) async throws -> Outcome {
        let now = client.clock.now()
        try requireTurn(stored, at: now)
        let request = try await client.refreshRequest(stored, resources: resources ?? stored.resources)
        // A store that cannot save now would lose the new tokens too: then nothing is sent.
        let change = try await client.change(
            { isOwn($0) && $0.refreshToken == stored.refreshToken },
            to: { stored in
                // A repetition does not gain time: what the server forgives counts from the first sending.
                stored.noting { $0.refreshingSince = $0.mustRepeatRefresh(at: now) ? $0.refreshingSince : now }
            }
        )
        if case .refused(let newest) = change {
            // Loading the key and the metadata takes time, in which only the lock keeps other refreshes out.
            guard let newest, isOwn(newest) else { throw Self.signedOut(Self.overtaken) }
            return resources == nil ? Outcome(tokens: newest, event: .adopted) : try await refresh(newest)
        }
        let response: HTTPResponse
        var isUncertain = false
        do {
            response = try await client.send(request, onUncertainty: { isUncertain = true })
        } catch {
            await note(error, in: stored, isUncertain: isUncertain || error.mayHaveBeenProcessed)
            throw error
        }
        return try await outcome(of: response, request, isUncertain: isUncertain)
    }

    /// While the server wants no refresh, no process sends one (RFC 9110 section 10.2.3), and after failures all processes
    /// wait together.
    private func requireTurn(_ stored: TokenSet, at now: Timestamp) throws(OAuthClientError) {
        if let time = stored.record.serverRetryAt, time > now, time - now <= RefreshPause.longestRetryAfter {
            throw OAuthClientError(retryAfter: time - now)
        }
        // A refresh whose outcome is not known is repeated at once; later it waits like any other.
        guard !isAskedFor, !stored.record.mustRepeatRefresh(at: now),
            let end = stored.record.backOff?.until, end > now, end - now <= RefreshBackOff.longest
        else { return }
        throw OAuthClientError(retryAfter: end - now, cause: RefreshNotSent())
    }

    private func outcome(
        of response: HTTPResponse,
        _ request: RefreshRequest,
        isUncertain: Bool
    ) async throws -> Outcome {
        guard (200..<300).contains(response.status) else {
            let refusal = client.refusal(response, to: request)
            return try await outcome(of: refusal, request.tokens, isUncertain: isUncertain)
        }
        let refreshed: TokenSet
        do {
            refreshed = try await client.read(response, to: request)
        } catch {
            throw try await unusable(ReceivedTokens(response), error, request.tokens)
        }
        return try await keep(refreshed, request.tokens)
    }

    /// Stores the tokens before any caller gets the access token: losing a rotated refresh token ends the session.
    private func keep(_ refreshed: TokenSet, _ stored: TokenSet) async throws -> Outcome {
        var kept = refreshed
        if resources != nil { kept = stored.with(refreshed.refreshToken).continuing(stored) }
        try await keep(kept, ReceivedTokens(refreshed))
        return Outcome(tokens: kept, fetched: refreshed, event: .refreshed)
    }

    /// Stores tokens in place of those that were refreshed, unless the user has signed out meanwhile.
    private func keep(_ kept: TokenSet, _ received: ReceivedTokens) async throws {
        do {
            if case .made = try await client.change(isOwn, to: { _ in kept }) { return }
        } catch {
            await client.discard(received)
            // The stored refresh token is consumed: sending it again would look like theft.
            _ = try? await client.change(isOwn, to: { _ in nil })
            let ended = OAuthClientError(.sessionEnded, "\(error.reason); sign in again", underlying: error)
            throw SessionLost(event: .expired, error: ended)
        }
        await client.discard(received)
        throw Self.signedOut(Self.overtaken)
    }

    /// Whether stored tokens are those of this session, and the user has not signed out.
    private func isOwn(_ stored: TokenSet) -> Bool {
        !stored.isEnded && stored.continuesSession(of: tokens)
    }

    /// Decides about a successful response whose tokens cannot be used.
    ///
    /// - Returns: What to throw.
    private func unusable(
        _ received: ReceivedTokens,
        _ error: OAuthClientError,
        _ stored: TokenSet
    ) async throws -> any Error {
        guard !Self.endsSession.contains(error.code) else {
            await client.discard(received)
            if received.refreshToken == nil, let own = stored.refreshToken {
                await client.discard(ReceivedTokens(stored.with(own)))
            }
            return try await sessionEnded(by: error, stored, "\(error.reason); sign in again")
        }
        // Something else in the response is wrong. The old refresh token may be consumed, so the new one is kept.
        try await keep(stored.with(received.refreshToken ?? stored.refreshToken).continuing(stored), received)
        return error
    }

    /// Decides what happens to the session when the token endpoint sent no tokens.
    private func outcome(
        of error: OAuthClientError,
        _ stored: TokenSet,
        isUncertain: Bool
    ) async throws -> Outcome {
        guard error.answer?.error == .invalidGrant else {
            await note(error, in: stored, isUncertain: isUncertain)
            throw error
        }
        // A process without the lock may have refreshed first: only the newest refresh token decides.
        let newest = try await storedTokens()
        guard newest.refreshToken != stored.refreshToken else {
            throw try await sessionEnded(
                by: error,
                stored,
                "the server does not accept the refresh token any more; sign in again"
            )
        }
        // There is a token for the session, but none for the other resources.
        if resources != nil { throw error }
        return Outcome(tokens: newest, event: .adopted)
    }

    /// Notes whether it is known that the refresh was not processed, and when the next one may be sent.
    ///
    /// A response of a gateway (500, 502, 504) does not say whether the server has processed the request; nor does what
    /// became of a repetition tell about the first sending.
    private func note(_ error: OAuthClientError, in stored: TokenSet, isUncertain: Bool) async {
        let isDecided = !isUncertain && ((error.status ?? 0) < 500 || error.status == 503)
        let now = client.clock.now()
        let backOff =
            error.retryAfter == nil && RefreshPause.isOfServer(error)
            ? RefreshBackOff.next(after: stored.record.backOff, at: now, fraction) : stored.record.backOff
        // If it fails, the next process refreshes at once, which is harmless. Who signed out meanwhile stays signed out.
        _ = try? await client.change(
            { isOwn($0) && $0.refreshToken == stored.refreshToken },
            to: { stored in
                stored.noting { record in
                    record.refreshingSince = isDecided ? nil : record.refreshingSince ?? now
                    record.backOff = backOff
                    record.serverRetryAt = error.retryAfter.map { now + min($0, RefreshPause.longestRetryAfter) }
                }
            }
        )
    }

    /// Deletes the tokens that the server does not accept any more, and no others.
    private func sessionEnded(
        by error: OAuthClientError,
        _ stored: TokenSet,
        _ reason: String
    ) async throws -> SessionLost {
        let change = try await client.change({ isOwn($0) && $0.refreshToken == stored.refreshToken }, to: { _ in nil })
        if case .refused = change { return Self.signedOut(Self.overtaken) }
        let ended = OAuthClientError(
            .sessionEnded,
            reason,
            answer: error.answer,
            underlying: error
        )
        return SessionLost(event: .expired, error: ended)
    }

    private static let overtaken = "the user signed out, or another user signed in, during the refresh"

    private static func signedOut(_ reason: String) -> SessionLost {
        SessionLost(event: .signedOut, error: OAuthClientError(.sessionEnded, reason))
    }
}
