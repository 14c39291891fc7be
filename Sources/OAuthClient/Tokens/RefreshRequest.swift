// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import OAuthCore

/// A refresh that needs nothing more to be sent: its endpoint and its key are known.
struct RefreshRequest: Sendable {
    let endpoint: URI
    let form: FormParameters
    let context: DPoPContext?
    let access: RequestedAccess
    /// The tokens to be refreshed.
    let tokens: TokenSet
}

extension OAuth2Client {
    /// Prepares a refresh; errors of this step say nothing about the refresh token.
    func refreshRequest(
        _ tokens: TokenSet,
        resources: [String],
        authorizationDetails: [AuthorizationDetail]? = nil
    ) async throws(OAuthClientError) -> RefreshRequest {
        var access = try RequestedAccess(
            scope: tokens.scope,
            resources: resources,
            authorizationDetails: authorizationDetails ?? []
        )
        access.earlierDetails = tokens.authorizationDetails
        guard let refreshToken = tokens.refreshToken else {
            throw OAuthClientError(.sessionEnded, "there is no refresh token; sign in again")
        }
        let context = try await keyring.context(boundTo: tokens.keyThumbprint)
        var form: FormParameters = ["grant_type": "refresh_token", "refresh_token": refreshToken.value]
        access.appendTarget(to: &form)
        return RefreshRequest(
            endpoint: try await address(of: .token),
            form: form,
            context: context,
            access: access,
            tokens: tokens
        )
    }

    /// Sends a refresh, and sends it once more if it is not known whether the server has processed it.
    ///
    /// Only a repetition at once can succeed: servers that replace refresh tokens forgive a repeated one for some
    /// seconds at most, and later take it for a theft (RFC 9700 section 4.14.2). Each sending has its own proof.
    ///
    /// - Parameters:
    ///   - request: The refresh.
    ///   - noteUncertainty: Called when the server may have processed the first one, whatever becomes of the second.
    /// - Returns: The response, whatever its status.
    /// - Throws: The codes of a request to the token endpoint.
    func send(
        _ request: RefreshRequest,
        onUncertainty noteUncertainty: () -> Void = {}
    ) async throws(OAuthClientError) -> HTTPResponse {
        var attempt = RequestAttempt(form: request.form)
        do throws(OAuthClientError) {
            return try await exchange(request.form, at: request.endpoint, provingWith: request.context, &attempt)
        } catch {
            guard error.mayHaveBeenProcessed else { throw error }
            noteUncertainty()
        }
        attempt.repeats(because: .unavailable)
        return try await exchange(request.form, at: request.endpoint, provingWith: request.context, &attempt)
    }

    /// The error of a response that is not a success.
    func refusal(_ response: HTTPResponse, to request: RefreshRequest) -> OAuthClientError {
        Self.refusal(by: "the server, asked for tokens,", response, request.context)
    }

    /// Reads the successful response to a refresh.
    ///
    /// Tokens that it does not return are left to the caller.
    func read(_ response: HTTPResponse, to request: RefreshRequest) async throws(OAuthClientError) -> TokenSet {
        let answer = try Self.tokenResponse(response)
        var refreshed = try tokenSet(
            answer,
            requested: request.access,
            refreshToken: request.tokens.refreshToken,
            request.context,
            acceptsBearer: acceptsBearerTokens(inPlaceOf: request.tokens)
        )
        // Many servers send their own members with the first tokens only.
        refreshed.extras = request.tokens.extras.updated(by: refreshed.extras)
        return try await identified(refreshed, by: answer, continuing: request.tokens.idToken)
            .continuing(request.tokens)
    }
}

extension OAuthClientError {
    /// Whether the server may have processed a request whose response did not arrive.
    var mayHaveBeenProcessed: Bool {
        code == .transportFailed && (underlying as? OAuthCoreError)?.wasSent != false
    }
}
