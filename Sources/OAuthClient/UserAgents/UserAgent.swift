// SPDX-License-Identifier: Apache-2.0

/// Shows the pages of the authorization server to the user and catches the answer.
public protocol UserAgent: Sendable {
    /// Takes the user through a sign-in.
    ///
    /// A user agent that receives on a port listens first, and then asks for the request with the redirect URI that it has.
    /// It throws ``OAuthClientError/Code/unsupportedResponseMode`` when the answer would come in a way that it cannot catch.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI of the client.
    ///   - makeRequest: Makes the authorization request for the redirect URI that the answer will arrive at: the one of the
    ///     client, on loopback addresses with another port (RFC 8252 section 7.3). To be called once.
    /// - Returns: What the authorization server sent the user back with, unchecked: mostly just a URL.
    /// - Throws: ``OAuthClientError``, what `makeRequest` throws, or an error of its own.
    func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback
}
