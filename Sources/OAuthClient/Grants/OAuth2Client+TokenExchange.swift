// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore
import OAuthSystem

extension OAuth2Client {
    /// Exchanges a token for another one: for another API, for less scope, or to act on behalf of someone else.
    ///
    /// - Parameters:
    ///   - subject: The subject token: represents the party on whose behalf the new token is used.
    ///   - actor: The actor token: represents the party that acts on behalf of the subject.
    ///   - requestedType: The token type to request; `nil` lets the server choose.
    ///   - scopes: The scope tokens to request, one each.
    ///   - resources: The APIs that the tokens are for (RFC 8707).
    ///   - authorizationDetails: What to request in more detail than scopes can express (RFC 9396).
    ///   - additionalParameters: Further parameters, such as `audience`, which may occur several times.
    /// - Returns: The issued token, which is not stored.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for an empty token, or for a parameter that the client sets
    ///   itself; ``OAuthClientError/Code/tokenTypeRejected`` also when the client requested an access token and the
    ///   server issued a token of another type; ``OAuthClientError/Code/malformedResponse`` also when the response does
    ///   not say what was issued; ``OAuthClientError/Code/unsupportedByServer``,
    ///   ``OAuthClientError/Code/clientCertificateMissing``, and the codes of ``exchangeAuthorizationCode(_:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 8693 §2](https://www.rfc-editor.org/rfc/rfc8693#section-2)
    public func exchangeToken(
        _ subject: SecurityToken,
        actor: SecurityToken? = nil,
        requesting requestedType: TokenTypeIdentifier? = nil,
        scopes: [String] = [],
        resources: [String] = [],
        authorizationDetails: [AuthorizationDetail] = [],
        additionalParameters: FormParameters = [:]
    ) async throws(OAuthClientError) -> TokenExchangeResult {
        guard !subject.value.isEmpty, actor?.value.isEmpty != true else {
            throw OAuthClientError(.invalidArgument, "a token to be exchanged is empty")
        }
        var form: FormParameters = [
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "subject_token": subject.value, "subject_token_type": subject.type.rawValue,
        ]
        if let actor {
            form.append("actor_token", actor.value)
            form.append("actor_token_type", actor.type.rawValue)
        }
        if let requestedType { form.append("requested_token_type", requestedType.rawValue) }
        let access = try RequestedAccess(
            scope: Self.scope(scopes),
            resources: resources,
            authorizationDetails: authorizationDetails
        )
        let context = try await contextForGrant(access)
        let answer = try await requestTokens(form, access, adding: additionalParameters, provingWith: context)
        guard let issuedType = answer.issuedTokenType else {
            await discard(ReceivedTokens(answer))
            throw OAuthClientError(.malformedResponse, "the token response has no 'issued_token_type'")
        }
        let issued = SecurityToken(answer.accessToken.value, type: issuedType)
        guard answer.tokenType == .notApplicable else {
            let tokens = try await tokenSet(answer, requested: access, context)
            return TokenExchangeResult(issued: issued, expiresAt: tokens.expiresAt, tokens: tokens)
        }
        // A token that is bound to no key must have been requested; otherwise the server could downgrade the client.
        guard let requestedType, requestedType != .accessToken, issuedType != .accessToken else {
            await discard(ReceivedTokens(answer))
            throw OAuthClientError(.tokenTypeRejected, "an access token was asked for, and something else was issued")
        }
        return TokenExchangeResult(
            issued: issued,
            expiresAt: answer.expiresIn.map { clock.now() + $0 },
            tokens: nil
        )
    }
}
