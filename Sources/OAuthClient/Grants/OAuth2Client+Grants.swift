// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore

/// What grants that need no browser share.
extension OAuth2Client {
    /// Tokens for a grant.
    func requestTokens(
        grant: FormParameters,
        scopes: [String],
        adding additional: FormParameters
    ) async throws(OAuthClientError) -> TokenSet {
        let scope = try Self.scope(scopes)
        let context = try await contextForGrant()
        let answer = try await requestTokens(grant, scope, adding: additional, provingWith: context)
        return try tokenSet(answer, requested: scope, refreshToken: nil, context)
    }

    /// The answer of the token endpoint to a grant with scope and further parameters.
    func requestTokens(
        _ grant: FormParameters,
        _ scope: Scope,
        adding additional: FormParameters,
        provingWith context: DPoPContext?
    ) async throws(OAuthClientError) -> TokenResponse {
        try await requestTokens(Self.form(grant, scope, adding: additional), provingWith: context)
    }

    /// A form with scope and further parameters, none of which may be the client's own.
    static func form(
        _ form: FormParameters,
        _ scope: Scope,
        adding additional: FormParameters
    ) throws(OAuthClientError) -> FormParameters {
        var whole = form
        if !scope.isEmpty { whole.append("scope", scope.description) }
        for parameter in additional.all {
            guard !ownGrantParameters.contains(parameter.name), form.values(for: parameter.name).isEmpty else {
                throw OAuthClientError(.invalidArgument, "'\(parameter.name)' is set by the client itself")
            }
            whole.append(parameter.name, parameter.value)
        }
        return whole
    }

    private static let ownGrantParameters: Set<String> = [
        "grant_type", "scope", "client_id", "client_secret", "client_assertion", "client_assertion_type",
        "actor_token", "actor_token_type", "requested_token_type",
    ]
}
