// SPDX-License-Identifier: Apache-2.0

/// Which JWTs are access tokens.
///
/// Signature, `iss`, `aud`, `exp`, `sub`, the binding to a key and the proof are checked in the same way in each profile.
public enum AccessTokenProfile: String, Sendable, Hashable, CaseIterable {
    /// The profile of RFC 9068: `typ` is `at+jwt`, and the token has `client_id`, `iat` and `jti`.
    ///
    /// `typ` alone tells an access token from every other JWT of the issuer.
    case rfc9068
    /// JWTs of servers that do not follow RFC 9068, such as Keycloak, Okta, Microsoft Entra and, by default, Auth0.
    ///
    /// `typ` is `at+jwt`, `JWT` or missing, so it no longer tells an access token from an id_token: only claims do. Tokens
    /// with `nonce`, `at_hash`, `c_hash`, `s_hash` or `events` are rejected, and those that have a claim `typ` other than
    /// `Bearer` or `DPoP`, by which Keycloak marks its access tokens. An id_token without any of these could pass as a
    /// bearer token, if its `aud` is the API and it names a client: so never use the audience of the API as the
    /// `client_id` of an app.
    ///
    /// The client is `client_id`, `azp` or `cid`; those that are present must be equal. Without `scope`, the scope is
    /// `scp`: a string, or an array of strings. `iat` and `jti` may be missing. The guard returns client and scope as
    /// `client_id` and `scope` of the claims.
    ///
    /// ## Specification
    ///
    /// [RFC 7519 §5.1](https://www.rfc-editor.org/rfc/rfc7519#section-5.1),
    /// [RFC 8725 §3.11 and §3.12](https://www.rfc-editor.org/rfc/rfc8725#section-3.11)
    case jwtWithoutExplicitType
}
