// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem

/// Finds out what an access token says: it reads the token, or asks who gave it out.
public protocol AccessTokenReader: Sendable {
    /// What a token says that is valid now, and for this API.
    ///
    /// - Parameters:
    ///   - accessToken: The token as it was received.
    ///   - now: The time.
    /// - Returns: Its claims, with `sub` and `client_id`; `nil` for a token that is not valid.
    /// - Throws: Any error when that cannot be found out now: the request is answered with 503.
    func claims(of accessToken: String, at now: Timestamp) async throws -> JWTClaims?
}
