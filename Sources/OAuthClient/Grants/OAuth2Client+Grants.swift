// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import OAuthCore

/// Shared by the grants without a browser.
extension OAuth2Client {
    func requestTokens(
        grant: FormParameters,
        _ access: RequestedAccess,
        adding additional: FormParameters
    ) async throws(OAuthClientError) -> TokenSet {
        let context = try await contextForGrant(access)
        let answer = try await requestTokens(grant, access, adding: additional, provingWith: context)
        return try await tokenSet(answer, requested: access, context)
    }

    /// Requests a token response with a grant, a scope and further parameters.
    func requestTokens(
        _ grant: FormParameters,
        _ access: RequestedAccess,
        adding additional: FormParameters,
        provingWith context: DPoPContext?
    ) async throws(OAuthClientError) -> TokenResponse {
        try await requestTokens(Self.form(grant, access, adding: additional), provingWith: context)
    }

    /// The key for a new grant, made if there is none; `nil` if the tokens will not be bound.
    func contextForGrant(_ access: RequestedAccess) async throws(OAuthClientError) -> DPoPContext? {
        try access.requireSupport(by: await currentMetadata())
        return try await contextForGrant()
    }

    /// A form with the requested access and further parameters, none of which may be one that the client sets itself.
    static func form(
        _ form: FormParameters,
        _ access: RequestedAccess,
        adding additional: FormParameters
    ) throws(OAuthClientError) -> FormParameters {
        var whole = form
        access.append(to: &whole)
        for parameter in additional.all {
            guard !ownGrantParameters.contains(parameter.name), form.values(for: parameter.name).isEmpty else {
                throw OAuthClientError(.invalidArgument, "'\(parameter.name)' is set by the client itself")
            }
            whole.append(parameter.name, parameter.value)
        }
        return whole
    }

    private static let ownGrantParameters: Set<String> = [
        "grant_type", "scope", "resource", "authorization_details", "client_id", "client_secret", "client_assertion",
        "client_assertion_type",
        "actor_token", "actor_token_type", "requested_token_type",
    ]
}
