// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import OAuthCore
import OAuthSystem

/// Token requests, and what becomes of their responses.
extension OAuth2Client {
    /// Sends a token request, with a proof if there is a key, and reads the response.
    ///
    /// Tokens of a response that cannot be read are revoked, as far as they can be found in it.
    ///
    /// - Parameters:
    ///   - form: The request.
    ///   - context: The key to prove.
    ///   - attempts: How often to send a request that the server has certainly not processed.
    /// - Returns: The response.
    /// - Throws: The error of the server, or that its response cannot be read; then its tokens are revoked.
    func requestTokens(
        _ form: FormParameters,
        provingWith context: DPoPContext?,
        attempts: Int = 4
    ) async throws(OAuthClientError) -> TokenResponse {
        let endpoint = try await address(of: .token)
        let response = try await patiently(attempts) { () async throws(OAuthClientError) in
            try await exchange(form, at: endpoint, provingWith: context)
        }
        guard (200..<300).contains(response.status) else {
            throw Self.refusal(by: "the server, asked for tokens,", response, context)
        }
        do {
            return try Self.tokenResponse(response)
        } catch {
            await discard(ReceivedTokens(response))
            throw error
        }
    }

    /// Sends a token request to the token endpoint.
    func exchange(
        _ form: FormParameters,
        at endpoint: URI,
        provingWith context: DPoPContext?
    ) async throws(OAuthClientError) -> HTTPResponse {
        let grantType = form.values(for: "grant_type").joined()
        // A client credentials request consumes nothing, and a request without parameters would already be a complete
        // one.
        if configuration.asksForNonceBeforeGrants, let context, grantType != "client_credentials",
            !context.knowsNonce(for: endpoint, role: .authorizationServer)
        {
            // The request has no grant: only the nonce of the response matters.
            let empty: FormParameters = ["grant_type": grantType]
            _ = try await server.post(empty, to: endpoint, provingWith: context)
        }
        return try await server.post(form, to: endpoint, provingWith: context)
    }

    /// Sends a grant again that the server has certainly not processed: no connection, 429, 503.
    ///
    /// A code is good for a minute or so, and a user who has consented should not have to do it again. Each sending has
    /// its own proof and its own client assertion. After a time-out nothing is repeated: the code may be used up.
    private func patiently(
        _ attempts: Int,
        _ send: () async throws(OAuthClientError) -> HTTPResponse
    ) async throws(OAuthClientError) -> HTTPResponse {
        var waited = Duration.zero
        var pause = Duration.seconds(1)
        for _ in 1..<attempts {
            var asked: Duration?
            do throws(OAuthClientError) {
                let response = try await send()
                guard response.status == 429 || response.status == 503 else { return response }
                asked = FailedResponse(response).retryAfter
                if waited + (asked ?? pause) > Self.patience { return response }
            } catch {
                guard error.code == .transportFailed, !error.mayHaveBeenProcessed else { throw error }
            }
            let next = asked ?? pause
            waited += next
            pause *= 2
            try await wait(next)
        }
        return try await send()
    }

    /// How long the sender of a grant waits in all.
    private static let patience = Duration.seconds(20)

    static func tokenResponse(_ response: HTTPResponse) throws(OAuthClientError) -> TokenResponse {
        do {
            return try TokenResponse(parsing: response.jsonObject())
        } catch {
            throw OAuthClientError(.malformedResponse, "the token response cannot be read", underlying: error)
        }
    }

    /// The tokens of a new grant, unless they are less protected than requested: those are revoked.
    func tokenSet(
        _ answer: TokenResponse,
        requested: RequestedAccess,
        _ context: DPoPContext?
    ) async throws(OAuthClientError) -> TokenSet {
        do throws(OAuthClientError) {
            let tokens = try tokenSet(
                answer,
                requested: requested,
                refreshToken: nil,
                context,
                acceptsBearer: try await acceptsBearerTokens()
            )
            reportDowngrade(to: answer.tokenType)
            return tokens.noting { $0 = .named(by: entropy) }
        } catch {
            if error.code == .tokenTypeRejected, answer.tokenType == .bearer {
                await self.context.metadata.noteBearer(at: clock.now())
            }
            await discard(ReceivedTokens(answer))
            if error.code == .tokenTypeRejected, answer.tokenType == .bearer, try await isHeldToBoundTokens() {
                throw Self.bindingWithdrawn("the server gave Bearer tokens, which were thrown away")
            }
            throw error
        }
    }

    /// The tokens of a response, unless they are less protected than requested.
    func tokenSet(
        _ answer: TokenResponse,
        requested: RequestedAccess,
        refreshToken: RefreshToken?,
        _ context: DPoPContext?,
        acceptsBearer: Bool
    ) throws(OAuthClientError) -> TokenSet {
        try requireProtection(answer.tokenType, context, acceptsBearer: acceptsBearer)
        var tokens = TokenSet(
            accessToken: answer.accessToken,
            tokenType: answer.tokenType,
            expiresAt: answer.expiresIn.map { clock.now() + $0 },
            refreshToken: answer.refreshToken ?? refreshToken,
            scope: answer.scope ?? requested.scope,
            keyThumbprint: context?.thumbprint,
            resources: requested.resources,
            authorizationDetails: try requested.grantedDetails(answer)
        )
        tokens.extras = answer.otherMembers
        return tokens
    }
}
