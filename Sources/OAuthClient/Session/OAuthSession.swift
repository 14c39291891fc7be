// SPDX-License-Identifier: Apache-2.0

import DPoP
public import Foundation
import HTTPMessage
import JOSE
import OAuthCore

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A user who is signed in: sends requests to APIs with the access token and a proof of the key.
public final class OAuthSession: Sendable {
    /// What gives out and refreshes the tokens.
    public let tokenManager: TokenManager
    private let client: OAuth2Client

    init(client: OAuth2Client, tokens: TokenSet) {
        self.client = client
        tokenManager = TokenManager(client: client, tokens: tokens)
    }

    /// Sends a request to an API.
    ///
    /// The request gets `Authorization` and a new `DPoP` field; what it had under these names is replaced. It is sent again
    /// at most twice: once with the nonce that the API demands, and once with a new access token when the API answers 401
    /// `invalid_token`. A 403 and a redirect are returned like every other answer.
    ///
    /// - Parameter request: Any request with an https URL.
    /// - Returns: The body and the response, as from URLSession.
    /// - Throws: ``OAuthClientError/Code/sessionEnded`` when the user must sign in again,
    ///   ``OAuthClientError/Code/bodyNotReplayable`` when a body stream would have to be sent again (call again with a new
    ///   stream), ``OAuthClientError/Code/insecureURL``, ``OAuthClientError/Code/invalidArgument``, and the codes of
    ///   ``TokenManager/refresh(replacing:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 9449 §7.1](https://www.rfc-editor.org/rfc/rfc9449#section-7.1),
    /// [RFC 9449 §9](https://www.rfc-editor.org/rfc/rfc9449#section-9)
    public func data(for request: URLRequest) async throws(OAuthClientError) -> (Data, URLResponse) {
        let call = try ProtectedCall(request, client.urlPolicy)
        var tokens = try await tokenManager.fetch()
        var mayRetryForNonce = true
        var mayRefresh = true
        while true {
            let answer = try await send(call, tokens)
            if answer.verdict.demandsNonce, answer.broughtNonce, mayRetryForNonce {
                mayRetryForNonce = false
            } else if answer.verdict.rejectsToken, tokens.refreshToken != nil, mayRefresh {
                mayRefresh = false
                tokens = try await tokenManager.refresh(replacing: tokens.accessToken)
            } else {
                return (answer.body, answer.response)
            }
            try call.requireReplayableBody()
        }
    }

    /// What happens to the account from now on; see ``TokenManager/events()``.
    ///
    /// - Returns: A stream of events.
    public func events() -> AsyncStream<SessionEvent> {
        tokenManager.events()
    }

    /// Ends the session: revokes the refresh token, then deletes the tokens, then the key with its nonces, even when the
    /// network fails.
    ///
    /// - Throws: What went wrong; see ``TokenManager/revoke()``. The user is signed out here nevertheless.
    public func signOut() async throws(OAuthClientError) {
        try await tokenManager.revoke()
    }

    private struct Answer {
        let body: Data
        let response: HTTPURLResponse
        let verdict: ProofVerdict
        /// Whether the answer brought a nonce that the proof did not have.
        let broughtNonce: Bool
    }

    private func send(_ call: ProtectedCall, _ tokens: TokenSet) async throws(OAuthClientError) -> Answer {
        guard tokens.tokenType == .dpop else {
            let (body, response) = try await client.transport.data(for: call.request(bearing: tokens))
            return Answer(body: body, response: response, verdict: Self.verdict(body, response), broughtNonce: false)
        }
        let context = try await client.keyring.context(boundTo: tokens.keyThumbprint)
        let proof = try await call.proof(tokens, context)
        let (body, response) = try await client.transport.data(for: call.request(bearing: tokens, proof: proof))
        let broughtNonce = context.learn(from: HTTPFields(response), for: proof)
        return Answer(body: body, response: response, verdict: Self.verdict(body, response), broughtNonce: broughtNonce)
    }

    private static func verdict(_ body: Data, _ response: HTTPURLResponse) -> ProofVerdict {
        // Errors are small; a large body is something else.
        let errorBody = body.count <= 65_536 ? [UInt8](body) : []
        return ProofVerdict(
            HTTPResponse(status: response.statusCode, fields: HTTPFields(response), body: errorBody)
        )
    }
}
