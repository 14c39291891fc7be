// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// Sends a request and returns its response: the core's only access to the network.
///
/// A transport follows no redirect (which would send proof and token elsewhere), keeps no cookies, caches nothing and
/// answers no authentication challenge by itself.
public protocol HTTPTransport: Sendable {
    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The request with an absolute-form target (`https://auth.example.com/token`).
    ///   - maximumBodySize: The maximum size of a response body in bytes; the transport stops receiving if it is
    ///     longer.
    /// - Returns: The response, whatever its status; a 3xx is returned, not followed.
    /// - Throws: ``OAuthCoreError/Code/transportFailed`` if there is no complete response,
    ///   ``OAuthCoreError/Code/cancelled`` if the task was cancelled. Neither holds the target, which may contain a
    ///   secret.
    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse
}
