// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
public import ResourceServer
public import StrictJSON

/// What a guard would tell a handler, made up for a test.
extension AuthorizedRequest {
    /// Makes up what a guard tells a handler about a request, for a test of the handler alone.
    ///
    /// <!-- given: import ResourceServer -->
    /// ```swift
    /// let caller = try AuthorizedRequest.forTests(subject: "ada", scopes: ["notes:read"])
    /// ```
    ///
    /// Nothing is sent, signed or checked. To test the guard of an API too, send it a token of
    /// ``FakeAuthorizationServer/accessToken(for:scopes:clientID:claims:boundTo:)``.
    ///
    /// - Parameters:
    ///   - subject: `sub`, the user.
    ///   - scopes: The scope of the token.
    ///   - clientID: `client_id`, the client.
    ///   - claims: More claims, such as `acr`. `sub`, `client_id`, `scope` and `cnf` follow from the other parameters.
    ///   - binding: What the token is bound to; `nil` for a key, the same in every test.
    /// - Returns: What the handler gets.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration`` for an invalid scope (RFC 6749 section 3.3), and for a
    ///   registered claim of the wrong type, such as a text as `exp`.
    public static func forTests(
        subject: String = "ada",
        scopes: [String] = [],
        clientID: String = "my-app",
        claims: JSONObject = [:],
        binding: TokenBinding? = nil
    ) throws(OAuthTestingError) -> AuthorizedRequest {
        do {
            let binding = try binding ?? TokenBinding.key(JWKThumbprint(someThumbprint))
            let scope = try Scope(scopes)
            let all = AccessTokenClaims(
                subject: subject,
                clientID: clientID,
                scope: scope,
                thumbprint: binding.thumbprint
            )
            let object = all.object(changedBy: claims)
            return AuthorizedRequest(madeUpFrom: try JWTClaims(object), scope: scope, binding: binding)
        } catch {
            throw OAuthTestingError(.invalidConfiguration, "the claims are not those of a token", underlying: error)
        }
    }

    /// That of the key in RFC 7638 section 3.1.
    private static let someThumbprint = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
}
