// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

extension OAuthSession {
    /// Sends a request with another HTTP library, once more with other fields where that can help.
    ///
    /// The library must not follow redirects by itself, since the proof is for one URL.
    ///
    /// - Parameters:
    ///   - method: The method as it is sent, such as `POST`.
    ///   - url: The absolute URL to which the request is sent, with https.
    ///   - isBodyReplayable: Whether the body, if there is one, can be sent twice.
    ///   - send: Sends the request once, with these fields in place of others of the same name.
    ///   - read: The status and the fields of a response; for 400 and 401 also the body, of which 64 KiB are enough.
    /// - Returns: The last response, whatever its status.
    /// - Throws: ``OAuthClientError``: the codes of ``authorization(method:url:)`` and
    ///   ``authorization(after:status:fields:body:)``, and ``OAuthClientError/Code/bodyNotReplayable``; also what `send` and
    ///   `read` throw.
    ///
    /// ## Specification
    ///
    /// [RFC 9449 §7.1](https://www.rfc-editor.org/rfc/rfc9449#section-7.1)
    public func perform<Response>(
        _ method: String,
        _ url: String,
        isBodyReplayable: Bool = true,
        sending send: (HTTPFields) async throws -> Response,
        reading read: (Response) async throws -> HTTPResponse
    ) async throws -> Response {
        var attempt = try await authorization(method: method, url: url)
        while true {
            let (response, answer) = try await observed(method, url, attempt.state.reported) {
                [fields = attempt.fields] in
                let response = try await send(fields)
                return (response, try await read(response))
            }
            let next = try await authorization(
                after: attempt,
                status: answer.status,
                fields: answer.fields,
                body: answer.body
            )
            guard let next else { return response }
            guard isBodyReplayable else { throw OAuthClientError.bodyIsStream }
            attempt = next
        }
    }

    private func observed<Response>(
        _ method: String,
        _ url: String,
        _ attempt: RequestAttempt,
        _ send: () async throws -> (Response, HTTPResponse)
    ) async throws -> (Response, HTTPResponse) {
        guard let observer = client.requestObserver else { return try await send() }
        return try await observer.observed(method, url, attempt, \.1.status, send)
    }
}
