// SPDX-License-Identifier: Apache-2.0

#if OpenAPI
public import Foundation
import HTTPMessage
public import HTTPTypes
public import OAuthClient
public import OpenAPIRuntime

/// Sends the operations of a client that Swift OpenAPI Generator made with the token of a session and a proof of its key.
///
/// Give it to the client as the last middleware: the proof is for the URL that the transport calls. The transport must not follow
/// redirects.
public struct SessionMiddleware: ClientMiddleware {
    private let session: OAuthSession

    /// Makes a middleware.
    ///
    /// - Parameter session: The session.
    public init(_ session: OAuthSession) {
        self.session = session
    }

    /// Sends an operation, once more where that can help.
    ///
    /// - Parameters:
    ///   - request: The request. `Authorization` and `DPoP` are set.
    ///   - body: The body. One that can be read only once is sent only once: an API that then demands a nonce gives
    ///     `bodyNotReplayable`.
    ///   - baseURL: The URL of the server.
    ///   - operationID: The name of the operation.
    ///   - next: Sends the request.
    /// - Returns: The last response. Of a 400 and a 401 the body was read if it has 64 KiB at most and says so; other bodies
    ///   are streamed.
    /// - Throws: `OAuthClientError`: the codes of `OAuthSession.perform(_:_:isBodyReplayable:sending:reading:)`; also what
    ///   `next` throws.
    @concurrent
    public func intercept(
        _ request: HTTPTypes.HTTPRequest,
        body: HTTPBody?,
        baseURL: URL,
        operationID: String,
        next:
            @concurrent @Sendable (HTTPTypes.HTTPRequest, HTTPBody?, URL) async throws -> (
                HTTPTypes.HTTPResponse, HTTPBody?
            )
    ) async throws -> (HTTPTypes.HTTPResponse, HTTPBody?) {
        let isReplayable = body.map { $0.iterationBehavior == .multiple } ?? true
        let url = try Self.url(of: request, at: baseURL)
        let answer = try await session.perform(request.method.rawValue, url, isBodyReplayable: isReplayable) {
            fields in
            var signed = request
            for field in fields.all {
                if let name = HTTPField.Name(field.name) { signed.headerFields[name] = field.value }
            }
            return try await Self.readingError(next(signed, body, baseURL))
        } reading: { answer in
            HTTPMessage.HTTPResponse(
                status: answer.head.status.code,
                fields: HTTPMessage.HTTPFields(
                    answer.head.headerFields.map { .init(name: $0.name.rawName, value: $0.value) }
                ),
                body: answer.error
            )
        }
        return (answer.head, answer.body)
    }

    /// The URL that transports make of a request and the URL of the server: one path after the other.
    private static func url(of request: HTTPTypes.HTTPRequest, at baseURL: URL) throws -> String {
        guard var components = URLComponents(url: baseURL, resolvingAgainstBaseURL: true),
            let path = URLComponents(string: request.path ?? "")
        else { throw unusableURL }
        components.percentEncodedPath += path.percentEncodedPath
        components.percentEncodedQuery = path.percentEncodedQuery
        guard let url = components.string else { throw unusableURL }
        return url
    }

    private static var unusableURL: OAuthClientError {
        OAuthClientError(.invalidArgument, "the URL of the server and the path of the operation make no URL")
    }

    /// Reads the body of an error, and puts it back.
    private static func readingError(
        _ answer: (head: HTTPTypes.HTTPResponse, body: HTTPBody?)
    ) async throws -> (head: HTTPTypes.HTTPResponse, body: HTTPBody?, error: [UInt8]) {
        guard let body = answer.body, case .known(let length) = body.length,
            ErrorBodies.reads(status: answer.head.status.code, length: length)
        else { return (answer.head, answer.body, []) }
        let bytes = try await [UInt8](collecting: body, upTo: ErrorBodies.maximumSize)
        return (answer.head, HTTPBody(bytes), bytes)
    }
}
#endif
