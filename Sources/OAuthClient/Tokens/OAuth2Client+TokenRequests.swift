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
        attempts: Int = RequestRepeater.Rule.grant.attempts
    ) async throws(OAuthClientError) -> TokenResponse {
        let endpoint = try await address(of: .token)
        var rule = RequestRepeater.Rule.grant
        rule.attempts = attempts
        var attempt = RequestAttempt(form: form)
        let response = try await repeater.run(rule, &attempt) { attempt throws(OAuthClientError) in
            try await exchange(form, at: endpoint, provingWith: context, &attempt)
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
        provingWith context: DPoPContext?,
        _ attempt: inout RequestAttempt
    ) async throws(OAuthClientError) -> HTTPResponse {
        let grantType = form.values(for: "grant_type").joined()
        // A client credentials request consumes nothing, and a request without parameters would already be a complete
        // one.
        if configuration.asksForNonceBeforeGrants, let context, grantType != "client_credentials",
            !context.knowsNonce(for: endpoint, role: .authorizationServer)
        {
            // The request has no grant: only the nonce of the response matters.
            let empty: FormParameters = ["grant_type": grantType]
            var asking = attempt
            _ = try await server.post(empty, to: endpoint, provingWith: context, &asking)
        }
        return try await server.post(form, to: endpoint, provingWith: context, &attempt)
    }

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

extension RequestAttempt {
    /// The first attempt of a token request.
    init(form: FormParameters) {
        self.init(.token, grantType: form.values(for: "grant_type").first)
    }
}
