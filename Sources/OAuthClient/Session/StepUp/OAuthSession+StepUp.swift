// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import OAuthCore
import OAuthSystem
public import OAuthTransport
import Synchronization

extension OAuthSession {
    /// Sends a request to an API, and lets the user sign in again if the API demands a scope that was not granted, or a
    /// stronger or more recent sign-in.
    ///
    /// The sign-in asks for what was granted and what the API demands, for the same user. Its tokens take the place of the
    /// session's, so that all users of the session have them, and the request is sent once more. Calls that meet a demand
    /// together cause one sign-in.
    ///
    /// An account gets at most twenty of these sign-ins in an hour. Of those after which the API did not accept the call, it
    /// gets at most three for the same demand, and six for any. Clients with one ``ServerContext`` share these limits. What
    /// ends before the user sees a page of the server, as when the handler denies, does not count.
    ///
    /// - Parameters:
    ///   - request: A request as for ``send(_:body:maximumBodySize:timeout:)``.
    ///   - body: The source of the body; not a stream, which could not be sent again.
    ///   - maximumBodySize: The maximum size of the response body, in bytes.
    ///   - timeout: How long the request may go without progress.
    ///   - handler: Decides whether the user signs in.
    /// - Returns: The response, whatever its status, except a 403 with `insufficient_scope`.
    /// - Throws: ``OAuthClientError/Code/insufficientScope`` when the handler denied, when the API demands nothing that is
    ///   missing, or when the demand stays after the sign-in; ``OAuthClientError/Code/stepUpRequired`` in the same cases;
    ///   ``OAuthClientError/Code/bodyNotReplayable``; the codes of
    ///   ``send(_:body:maximumBodySize:timeout:)`` and of ``OAuth2Client/signIn(scopes:using:options:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 6750 §3.1](https://www.rfc-editor.org/rfc/rfc6750#section-3.1),
    /// [RFC 9470 §4](https://www.rfc-editor.org/rfc/rfc9470#section-4)
    public func send(
        _ request: HTTPRequest,
        body: RequestBody = .inMemory,
        maximumBodySize: Int? = nil,
        timeout: Duration? = nil,
        steppingUp handler: some StepUpHandler
    ) async throws(OAuthClientError) -> HTTPResponse {
        let response = try await exchange(request, body: body, timeout: timeout, steppingUp: handler).response
        return try await whole(response, maximumBodySize)
    }

    func exchange(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?,
        steppingUp handler: some StepUpHandler,
        for scopes: StepUpScopes = StepUpScopes()
    ) async throws(OAuthClientError) -> (response: StreamedResponse, target: String) {
        let origin = (try? URI(parsing: request.target))?.origin ?? ""
        var turns = 3
        /// The demand for which this call has signed the user in.
        var met: StepUpLimits.Demand?
        while true {
            turns -= 1
            let seen = await tokenManager.stepUps.count
            let demand: OAuthClientError
            do throws(OAuthClientError) {
                let result = try await exchange(request, body: body, timeout: timeout)
                guard let challenge = ScopeChallenge(status: result.response.status, result.response.fields) else {
                    if let met, result.response.status != 401 { client.context.stepUps.helped(met) }
                    return result
                }
                demand = OAuthClientError(scope: challenge)
            } catch {
                guard error.code == .stepUpRequired else { throw error }
                demand = error
            }
            guard turns > 0 else { throw demand }
            if case .stream = body { throw Self.notReplayable }
            let limited = StepUpLimits.Demand(demand, account: client.account.name, origin: origin)
            let wasOwn = try await tokenManager.stepUps.run(unlessDoneSince: seen) {
                () async throws(OAuthClientError) in
                try await self.stepUp(demand, limited, handler, scopes)
            }
            // After a sign-in of its own, a call is sent once more, and no further sign-in is begun for it.
            if wasOwn { (turns, met) = (0, limited) }
        }
    }

    private func stepUp(
        _ demand: OAuthClientError,
        _ limited: StepUpLimits.Demand,
        _ handler: some StepUpHandler,
        _ scopes: StepUpScopes
    ) async throws(OAuthClientError) {
        let tokens = try await tokenManager.signedInTokens()
        let named = demand.scopeChallenge?.scopes ?? demand.stepUp?.scopes ?? []
        let demanded = named.isEmpty && demand.stepUp == nil ? scopes.ifUnnamed : named
        let missing = demanded.filter { !tokens.scope.contains($0) }
        // All of it was granted, and the API rejects it nevertheless: another sign-in would change nothing.
        guard demand.stepUp != nil || !missing.isEmpty else { throw demand }
        let need = StepUpNeed(
            scopes: (tokens.scope.tokens + scopes.askedBefore + missing).reduce(into: []) { all, scope in
                if !all.contains(scope) { all.append(scope) }
            },
            missing: missing,
            authentication: demand.stepUp,
            origin: limited.origin
        )
        let limits = client.context.stepUps
        guard limits.mayBegin(limited, at: client.monotonicClock.elapsed()) else { throw demand }
        let wasShown = Mutex(false)
        let callback: AuthorizationCallback
        do throws(OAuthClientError) {
            let userAgent = try await Self.userAgent(of: handler, for: need, demand)
            callback = try await authorize(need, continuing: tokens, using: userAgent) {
                wasShown.withLock { $0 = true }
            }
        } catch {
            // Only sign-ins of the user count: no denial of the handler, no server that is down, no missing browser.
            let countsForUser = wasShown.withLock { $0 } && !Self.noBrowser.contains(error.code)
            if !countsForUser { limits.withdraw(limited) }
            throw error
        }
        try await finish(callback)
        await scopes.whenSignedIn?(need.scopes)
    }

    /// With these codes, a user agent has shown nothing.
    private static let noBrowser: Set<OAuthClientError.Code> = [
        .browserUnavailable, .loopbackFailed, .unsupportedResponseMode,
    ]

    private static func userAgent(
        of handler: some StepUpHandler,
        for need: StepUpNeed,
        _ demand: OAuthClientError
    ) async throws(OAuthClientError) -> any UserAgent {
        let decision: StepUpDecision
        do {
            decision = try await handler.stepUp(need)
        } catch {
            throw OAuthClientError(error, otherwise: .userAgentFailed, "the step-up handler failed")
        }
        switch decision {
        case .deny: throw demand
        case .signIn(let userAgent): return userAgent
        }
    }

    private func authorize(
        _ need: StepUpNeed,
        continuing tokens: TokenSet,
        using userAgent: any UserAgent,
        whenRequested: @Sendable () -> Void
    ) async throws(OAuthClientError) -> AuthorizationCallback {
        var options = need.authentication?.options ?? AuthorizationOptions()
        options.resources = tokens.resources
        options.authorizationDetails = tokens.authorizationDetails ?? []
        // Any other user is rejected.
        options.idTokenHint = tokens.idToken
        var scopes = need.scopes
        if tokens.idToken != nil, !scopes.contains(OAuth2Client.openIDScope) { scopes.append(OAuth2Client.openIDScope) }
        return try await client.callback(
            scopes: scopes,
            using: userAgent,
            options: options,
            whenRequested: whenRequested
        )
    }

    private func finish(_ callback: AuthorizationCallback) async throws(OAuthClientError) {
        try await Uncancelled.run { [client, tokenManager] () async throws(OAuthClientError) in
            try await callback.concluding { () async throws(OAuthClientError) in
                try await tokenManager.replace(with: client.redeem(client.checkedResponse(callback)))
            }
        }
    }

    private static var notReplayable: OAuthClientError {
        OAuthClientError(
            .bodyNotReplayable,
            "the user has to sign in again, and the body of the request is a stream; call again with a new stream"
        )
    }
}
