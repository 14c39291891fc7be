// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore

/// A transport that also sends the requests of an app to APIs.
///
/// Requests and responses are values; `OAuthSession` takes a `URLRequest` too and makes a value of it. Whoever implements
/// ``/OAuthCore/HTTPTransport/send(_:maximumBodySize:)`` gets the other members too. One that carries bodies as they come,
/// and of any length, also implements ``open(_:body:timeout:)``.
public protocol ClientTransport: HTTPTransport {
    /// Whether connections present a client certificate to servers that ask for one (RFC 8705); `false` unless implemented.
    var presentsClientCertificate: Bool { get }

    /// What a response of an API may hold, in bytes, when it is received as a whole and the caller does not say; 64 MiB
    /// unless implemented.
    var maximumResponseSize: Int { get }

    /// Sends a request of the app, and gives out the body of the response as it comes.
    ///
    /// - Parameters:
    ///   - request: The request with an absolute-form target, and with token and proof.
    ///   - body: Where its body comes from.
    ///   - timeout: How long the request may go without progress; `nil` for as long as the transport allows.
    /// - Returns: The head of the response, whatever its status, and its body; a 3xx is returned, not followed.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``,
    ///   ``/OAuthCore/OAuthCoreError/Code/invalidRequest`` when the request cannot be sent this way, or its file cannot be read.
    func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse
}
