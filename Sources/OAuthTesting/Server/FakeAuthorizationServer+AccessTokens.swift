// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
public import JOSE
public import OAuthCore
import OAuthSystem
public import StrictJSON

extension FakeAuthorizationServer {
    /// The public keys of the server, for the guard of an API under test; without those that were replaced.
    ///
    /// The server signs with Ed25519, so the guard has to allow `.edDSA` for tokens.
    public var keys: any JWKSetSource { room }

    /// Signs an access token without a sign-in, for a test of an API with its guard.
    ///
    /// <!-- given: let server: FakeAuthorizationServer; import JOSE -->
    /// ```swift
    /// let key = try SoftwareSigningKey()
    /// let token = try await server.accessToken(for: "ada", scopes: ["api:read"], boundTo: key)
    /// ```
    ///
    /// A guard that trusts the server accepts it with proofs of the key, until the clock has passed its expiry. There is no
    /// grant behind it: the server's own endpoints, such as introspection and userinfo, do not know it, and it cannot be
    /// revoked.
    ///
    /// - Parameters:
    ///   - subject: `sub`, which need not be a user of the server.
    ///   - scopes: The scope of the token, which need not exist.
    ///   - clientID: `client_id`, which need not be registered.
    ///   - claims: More claims, such as `acr`, and those that replace the server's: `iss`, `aud`, `iat`, `exp`, `jti`,
    ///     `auth_time`. `sub`, `client_id`, `scope` and `cnf` follow from the other parameters.
    ///   - key: The key that the token is bound to (RFC 9449 section 6.1); `nil` for a bearer token.
    /// - Returns: The token.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration`` for an invalid scope, and if the platform does not sign.
    public func accessToken(
        for subject: String,
        scopes: [String] = [],
        clientID: String = "my-app",
        claims: JSONObject = [:],
        boundTo key: (any SigningKey)?
    ) async throws(OAuthTestingError) -> AccessToken {
        let (signer, now) = (room.signingKey, clock.now())
        let end = now + room.parts.configuration.lifetimes.accessToken
        let identifier = entropy.separate("access token \(tokenCount.next())").bytes(16)
        let ofServer: JSONObject = [
            "iss": .string(issuer), "aud": .string(apiAddress),
            "iat": .number(JSONNumber(now.secondsSince1970)), "exp": .number(JSONNumber(end.secondsSince1970)),
            "auth_time": .number(JSONNumber(now.secondsSince1970)), "jti": .string(Base64URL.encode(identifier)),
        ]
        do {
            let all = AccessTokenClaims(
                subject: subject,
                clientID: clientID,
                scope: try Scope(scopes),
                thumbprint: key?.publicKey.thumbprint
            )
            let payload = JSONValue.object(all.object(of: ofServer, changedBy: claims)).encoded()
            let header: JSONObject = ["typ": "at+jwt", "kid": .string(signer.publicKey.thumbprint.description)]
            return AccessToken(try await CompactJWS.sign(header: header, payload: payload, with: signer))
        } catch {
            throw OAuthTestingError(.invalidConfiguration, "the access token cannot be made", underlying: error)
        }
    }
}
