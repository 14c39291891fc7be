// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient
public import AsyncHTTPClient
import HTTPMessage
public import Logging
public import NIOCore
import NIOHTTP1
public import OAuthClient

extension HTTPClient {
    /// Sends a request with the token of a session and a proof of its key, once more where that can help.
    ///
    /// The client must not follow redirects, since a proof is for one URL: make it with `redirectConfiguration: .disallow`.
    ///
    /// - Parameters:
    ///   - request: The request. `Authorization` and `DPoP` are set.
    ///   - session: The session.
    ///   - isBodyReplayable: Whether the body can be sent twice: `true` for bytes, `false` for a stream. A request without a body
    ///     always can.
    ///   - timeout: How long each sending may take.
    ///   - logger: The logger of the client.
    /// - Returns: The last response, whatever its status. Of a 400 and a 401 the body was read if it has 64 KiB at most and says
    ///   so; other bodies are streamed.
    /// - Throws: `OAuthClientError`: the codes of `OAuthSession.perform(_:_:isBodyReplayable:sending:reading:)`, and
    ///   `invalidArgument` when the client followed a redirect; also the errors of the client.
    public nonisolated(nonsending) func execute(
        _ request: HTTPClientRequest,
        with session: OAuthSession,
        isBodyReplayable: Bool = false,
        timeout: TimeAmount,
        logger: Logger? = nil
    ) async throws -> HTTPClientResponse {
        let isReplayable = isBodyReplayable || request.body == nil
        return try await session.perform(request.method.rawValue, request.url, isBodyReplayable: isReplayable) {
            fields in
            var signed = request
            for field in fields.all { signed.headers.replaceOrAdd(name: field.name, value: field.value) }
            let response = try await execute(signed, timeout: timeout, logger: logger)
            guard response.history.count <= 1 else { throw Self.redirected }
            return try await response.readingError()
        } reading: { response in
            HTTPResponse(
                status: Int(response.head.status.code),
                fields: HTTPFields(response.head.headers.map { .init(name: $0.name, value: $0.value) }),
                body: response.error
            )
        }
        .head
    }

    private static var redirected: OAuthClientError {
        OAuthClientError(
            .invalidArgument,
            "the HTTP client followed a redirect, for which it has no proof; make it with redirectConfiguration .disallow"
        )
    }
}

extension HTTPClientResponse {
    /// Reads the body of an error, and puts it back.
    fileprivate func readingError() async throws -> (head: HTTPClientResponse, error: [UInt8]) {
        let length = headers.first(name: "Content-Length").flatMap { Int64($0) }
        guard ErrorBodies.reads(status: Int(status.code), length: length) else { return (self, []) }
        let bytes = try await body.collect(upTo: ErrorBodies.maximumSize)
        var copy = self
        copy.body = .bytes(bytes)
        return (copy, Array(bytes.readableBytesView))
    }
}
#endif
