// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import OAuthTransport

/// Requests that another HTTP library sends: AsyncHTTPClient, a generated client, or any other.
extension OAuthSession {
    /// Makes the fields that authorize a request.
    ///
    /// Pass every response to ``authorization(after:status:fields:body:)``: it has the nonce for the next request, and
    /// says whether this one should be sent again. The library must not follow redirects by itself, since the proof is for
    /// one URL.
    ///
    /// - Parameters:
    ///   - method: The method as it is sent, such as `POST`.
    ///   - url: The absolute URL to which the request is sent, with https.
    /// - Returns: The fields, for one sending.
    /// - Throws: ``OAuthClientError/Code/sessionEnded``, ``OAuthClientError/Code/insecureURL``,
    ///   ``OAuthClientError/Code/originNotAllowed``, ``OAuthClientError/Code/invalidArgument``, and the codes of
    ///   ``TokenManager/refresh(replacing:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 9449 §7.1](https://www.rfc-editor.org/rfc/rfc9449#section-7.1)
    public func authorization(method: String, url: String) async throws(OAuthClientError) -> AuthorizedAttempt {
        let request = HTTPRequest(method: method, target: url)
        let call = try client.protectedCall(request, body: .inMemory, timeout: nil)
        let exchange = protectedExchange
        let state = try await exchange.begin()
        return AuthorizedAttempt(try await exchange.sign(call, state.tokens), state)
    }

    /// Learns from the response to an authorized request, and decides whether to send it again.
    ///
    /// A request is sent again at most once for each of these reasons: the API demands a nonce that it had not sent before,
    /// the clock of the API differs, or the API responds with 401 `invalid_token` and there is a newer access token.
    ///
    /// - Parameters:
    ///   - attempt: What the request was sent with.
    ///   - status: The status of the response.
    ///   - fields: The fields of the response.
    ///   - body: The body of the response, which matters for 400 and 401 only; 64 KiB are enough.
    /// - Returns: The fields to send the same request with again; `nil` if the response is for the caller.
    /// - Throws: ``OAuthClientError/Code/stepUpRequired`` when the user must sign in more strongly or more recently,
    ///   ``OAuthClientError/Code/sessionEnded``, and the codes of ``TokenManager/refresh(replacing:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 9449 §8](https://www.rfc-editor.org/rfc/rfc9449#section-8),
    /// [RFC 9449 §9](https://www.rfc-editor.org/rfc/rfc9449#section-9)
    public func authorization(
        after attempt: AuthorizedAttempt,
        status: Int,
        fields: HTTPFields,
        body: [UInt8] = []
    ) async throws(OAuthClientError) -> AuthorizedAttempt? {
        let verdict = ProofResult(HTTPResponse(status: status, fields: fields, body: body))
        let (exchange, sent) = (protectedExchange, attempt.signed)
        var state = attempt.state
        guard try await exchange.isWorthRepeating(sent, verdict, fields, &state) else {
            exchange.finish(sent, verdict, status: status)
            return nil
        }
        return AuthorizedAttempt(try await exchange.sign(sent.call, state.tokens), state)
    }
}
