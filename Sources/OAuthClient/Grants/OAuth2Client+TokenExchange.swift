// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore
import OAuthSystem

extension OAuth2Client {
    /// Trades a token for another one: for another API, for less scope, or to act in somebody's place.
    ///
    /// - Parameters:
    ///   - subject: The token of the one in whose name the new token is used.
    ///   - actor: The token of the one who acts in that name.
    ///   - requestedType: What to ask for; left to the server when `nil`.
    ///   - scopes: What to ask for, one scope token each.
    ///   - resources: What the tokens are to be used at (RFC 8707).
    ///   - authorizationDetails: What to ask for in more words than a scope has (RFC 9396).
    ///   - additionalParameters: Further parameters, such as `audience`, which may occur several times.
    /// - Returns: What was issued, not stored.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for an empty token, or for a parameter that the client sets
    ///   itself; ``OAuthClientError/Code/tokenTypeRejected`` also when an access token was asked for and something was
    ///   issued that is none; ``OAuthClientError/Code/malformedResponse`` also when the answer does not say what was issued;
    ///   ``OAuthClientError/Code/unsupportedByServer``, ``OAuthClientError/Code/clientCertificateMissing``, and the codes
    ///   of ``exchangeAuthorizationCode(_:)``.
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
            throw OAuthClientError(.malformedResponse, "the token response has no 'issued_token_type'")
        }
        let issued = SecurityToken(answer.accessToken.value, type: issuedType)
        guard answer.tokenType == .notApplicable else {
            let tokens = try tokenSet(answer, requested: access, refreshToken: nil, context)
            return TokenExchangeResult(issued: issued, expiresAt: tokens.expiresAt, tokens: tokens)
        }
        // A token that is bound to no key must have been asked for, or else the server talks the client down.
        guard let requestedType, requestedType != .accessToken, issuedType != .accessToken else {
            throw OAuthClientError(.tokenTypeRejected, "an access token was asked for, and something else was issued")
        }
        return TokenExchangeResult(
            issued: issued,
            expiresAt: answer.expiresIn.map { clock.now() + $0 },
            tokens: nil
        )
    }
}
