// SPDX-License-Identifier: Apache-2.0

/// Shows the pages of the authorization server to the user and receives the response.
public protocol UserAgent: Sendable {
    /// Takes the user through a sign-in.
    ///
    /// A user agent that receives on a port listens first, and then makes the request for the redirect URI with that
    /// port. It throws ``OAuthClientError/Code/unsupportedResponseMode`` when it cannot receive responses in the
    /// requested mode.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI of the client.
    ///   - makeRequest: Makes the authorization request for the redirect URI that receives the response: the one of the
    ///     client, on loopback addresses with another port (RFC 8252 section 7.3). Must be called once.
    /// - Returns: What the authorization server sent through the browser, unchecked: usually only a URL.
    /// - Throws: ``OAuthClientError``, what `makeRequest` throws, or an error of its own.
    func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback
}
