// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem

/// Validates an access token and returns its claims: locally, or by introspection.
public protocol AccessTokenReader: Sendable {
    /// The claims of a token that is valid now, for this API.
    ///
    /// - Parameters:
    ///   - accessToken: The token as it was received.
    ///   - now: The current time.
    /// - Returns: Its claims, with `sub` and `client_id`; `nil` for a token that is not valid.
    /// - Throws: Any error if validation is not possible now: the guard responds with 503.
    func claims(of accessToken: String, at now: Timestamp) async throws -> JWTClaims?
}
