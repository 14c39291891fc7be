// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// Sends one request and brings back its response: the only way in which the core reaches the network.
///
/// A transport follows no redirect (a redirect would carry proof and token elsewhere), keeps no cookies, caches nothing and
/// answers no authentication challenge by itself.
public protocol HTTPTransport: Sendable {
    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The request with an absolute-form target (`https://auth.example.com/token`).
    ///   - maximumBodySize: What a response may hold, in bytes; the transport stops receiving when it is longer.
    /// - Returns: The response, whatever its status; a 3xx is returned, not followed.
    /// - Throws: ``OAuthCoreError/Code/transportFailed`` when there is no whole response, ``OAuthCoreError/Code/cancelled``
    ///   when the task was cancelled. Neither holds the target, which may carry a secret.
    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse
}
