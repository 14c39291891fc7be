// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthSystem
import StrictJSON

/// Validates id_tokens: OpenID Connect Core sections 3.1.3.7 and 12.2.
extension OAuth2Client {
    static let openIDScope = "openid"

    /// The tokens with the id_token of the same response, validated, if it was requested.
    ///
    /// - Throws: ``OAuthClientError/Code/idTokenRejected``, ``OAuthClientError/Code/anotherUser``, and the codes of
    ///   ``verificationKeys(for:)``. The tokens are then revoked if possible: they belong to nobody who was asked for.
    func identified(
        _ tokens: TokenSet,
        by answer: TokenResponse,
        for response: AuthorizationResponse
    ) async throws(OAuthClientError) -> TokenSet {
        let transaction = response.transaction
        guard transaction.scope.contains(Self.openIDScope) else { return tokens }
        guard let idToken = answer.idToken else {
            guard tokens.scope.contains(Self.openIDScope) || transaction.demandsIDToken else { return tokens }
            await discard(tokens)
            throw OAuthClientError(.idTokenRejected, "the server granted the sign-in and sent no id_token")
        }
        guard let nonce = transaction.nonce else {
            await discard(tokens)
            throw OAuthClientError(.idTokenRejected, "the sign-in was begun without a nonce")
        }
        let demand = IDTokenRequirements(
            nonce: nonce,
            authenticatedSince: authenticatedSince(transaction),
            requiredACRValues: transaction.requiredACRValues,
            subject: transaction.requiredSubject,
            accessToken: tokens.accessToken,
            code: response.code
        )
        return try await identified(tokens, by: idToken, demand)
    }

    /// The tokens of a sign-in on another device, which has no nonce; some servers issue no id_token there.
    func identified(
        _ tokens: TokenSet,
        by answer: TokenResponse,
        for authorization: DeviceAuthorization
    ) async throws(OAuthClientError) -> TokenSet {
        guard authorization.scope.contains(Self.openIDScope), let idToken = answer.idToken else { return tokens }
        return try await identified(tokens, by: idToken, IDTokenRequirements(accessToken: tokens.accessToken))
    }

    /// The tokens of a refresh, with the newer id_token or the previous one.
    ///
    /// If the keys cannot be fetched, or lack the one of the id_token, the client must not lose a refresh token that can
    /// be used only once: it then ignores the newer id_token, unless that contradicts the previous one. A refresh needs
    /// none (OpenID Connect Core 1.0 section 12.2), and a server that changes its keys may publish the new one late.
    /// Rejected tokens are left to the caller.
    func identified(
        _ tokens: TokenSet,
        by answer: TokenResponse,
        continuing original: IDToken?
    ) async throws(OAuthClientError) -> TokenSet {
        guard let original else { return tokens }
        // Some servers send the first one again.
        guard let text = answer.idToken?.value, !text.isIdentical(to: original.rawValue) else {
            return tokens.with(original)
        }
        do {
            let token = try Self.signedToken(text)
            try Self.refusing { () throws(JOSEError) in try original.requireContinuation(by: token.claims) }
            var demand = IDTokenRequirements(accessToken: tokens.accessToken)
            demand.nonce = try? token.claims.object.optionalString("nonce")
            return tokens.with(try await validated(token, demand, continuing: original))
        } catch {
            let lacksKey = (error.underlying as? JOSEError)?.code == .keyNotFound
            guard error.code == .idTokenRejected, !lacksKey else { return tokens.with(original) }
            throw error
        }
    }

    private func identified(
        _ tokens: TokenSet,
        by idToken: SecurityToken,
        _ demand: IDTokenRequirements
    ) async throws(OAuthClientError) -> TokenSet {
        do {
            return tokens.with(try await validated(Self.signedToken(idToken.value), demand))
        } catch {
            await discard(tokens)
            throw error
        }
    }

    private static func signedToken(_ text: String) throws(OAuthClientError) -> SignedJWT {
        try refusing { () throws(JOSEError) in try SignedJWT(text, maximumLength: IDToken.maximumLength) }
    }

    private func validated(
        _ token: SignedJWT,
        _ demand: IDTokenRequirements,
        continuing original: IDToken? = nil
    ) async throws(OAuthClientError) -> IDToken {
        let keys: VerificationKeys
        do {
            // New tokens would have to be thrown away; a refresh goes on with the id_token that it has.
            keys = try await verificationKeys(for: token, attempts: original == nil ? 3 : 2)
        } catch let error as JOSEError {
            throw Self.refusal(error)
        } catch {
            throw OAuthClientError(error, otherwise: .serverUnavailable, "the keys of the server are not available")
        }
        let now = server.clock.now()
        let idToken = try Self.refusing { () throws(JOSEError) in
            let claims = try keys.validate(token, by: idTokenValidation, at: now)
            try requireTrustedAudiences(claims)
            try demand.check(token, at: now)
            return try IDToken(token.text, claims, continuing: original)
        }
        guard demand.accepts(idToken) else {
            throw OAuthClientError(.anotherUser, "'sub' is another user than was asked for")
        }
        return idToken
    }

    /// Rules 1 to 10.
    private var idTokenValidation: JWTValidation {
        // The nonce is compared separately, in constant time.
        var validation = JWTValidation.idToken(
            issuer: issuer,
            clientID: clientID,
            nonce: nil,
            algorithms: configuration.idTokenAlgorithms
        )
        validation.maximumLength = IDToken.maximumLength
        // Rule 10: the token was issued for this response.
        validation.maximumAge = .seconds(600)
        return validation
    }

    /// Rule 3: another audience of the token could present it elsewhere.
    private func requireTrustedAudiences(_ claims: JWTClaims) throws(JOSEError) {
        let trusted = configuration.trustedIDTokenAudiences
        for audience in claims.audience where !audience.isIdentical(to: clientID) && !trusted.contains(audience) {
            throw JOSEError(.invalidClaim, "'aud' names others too, which this client was not told to trust")
        }
    }

    /// When the user must have authenticated at the earliest.
    ///
    /// `max_age` counts from the start of the sign-in: otherwise a user who takes a while to consent would be too late.
    private func authenticatedSince(_ transaction: SignInTransaction) -> Timestamp? {
        guard let maxAge = transaction.maxAge else { return nil }
        // The duration of the sign-in is measured by the device's clock, which may be off; the current time is the
        // server's.
        let elapsed = transaction.startedAt.map { max(clock.now() - $0, .zero) } ?? .zero
        return server.clock.now() - elapsed - maxAge
    }

    private static func refusing<Result>(
        _ body: () throws(JOSEError) -> Result
    ) throws(OAuthClientError) -> Result {
        do {
            return try body()
        } catch {
            throw refusal(error)
        }
    }

    private static func refusal(_ error: JOSEError) -> OAuthClientError {
        OAuthClientError(.idTokenRejected, "the id_token is rejected: \(error.reason)", underlying: error)
    }
}
