// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore

/// A transport that also sends the requests of an app to APIs.
///
/// Requests and responses are values; `OAuthSession` also accepts a `URLRequest` and converts it. A transport must
/// implement only ``/OAuthCore/HTTPTransport/send(_:maximumBodySize:)``; the other members have defaults. A transport
/// that streams bodies of any length also implements ``open(_:body:timeout:)``.
public protocol ClientTransport: HTTPTransport {
    /// Whether connections present a client certificate to servers that request one (RFC 8705); by default `false`.
    var presentsClientCertificate: Bool { get }

    /// The maximum size of an API's response that is received as a whole, in bytes, when the caller gives none; by
    /// default 64 MiB.
    var maximumResponseSize: Int { get }

    /// Sends a request of the app, and returns the body of the response as a stream.
    ///
    /// - Parameters:
    ///   - request: The request with an absolute-form target, and with token and proof.
    ///   - body: The source of its body.
    ///   - timeout: How long the request may go without progress; `nil` for the limit of the transport.
    /// - Returns: The head of the response, whatever its status, and its body; a 3xx is returned, not followed.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``,
    ///   ``/OAuthCore/OAuthCoreError/Code/invalidRequest`` when the transport cannot send the request, or its file cannot be read.
    func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse
}
