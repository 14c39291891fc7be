// SPDX-License-Identifier: Apache-2.0

/// The kinds of token that the roles exchange.
extension JWTValidation {
    /// What an API demands of an access token.
    ///
    /// `typ` is `at+jwt`; `sub`, `client_id`, `iat` and `jti` are there.
    ///
    /// - Parameters:
    ///   - issuer: The authorization server.
    ///   - audience: The API.
    ///   - algorithms: The algorithms that are accepted.
    ///   - leeway: How far the clocks of authorization server and API may differ.
    /// - Returns: The demand.
    ///
    /// ## Specification
    ///
    /// [RFC 9068 §2.2 and §4](https://www.rfc-editor.org/rfc/rfc9068#section-4)
    public static func accessToken(
        issuer: String,
        audience: String,
        algorithms: Set<SignatureAlgorithm> = [.es256],
        leeway: Duration = .seconds(10)
    ) -> JWTValidation {
        var validation = JWTValidation(
            type: "at+jwt",
            issuer: issuer,
            audience: audience,
            algorithms: algorithms,
            leeway: leeway
        )
        validation.requiredStrings = ["sub", "client_id", "jti"]
        validation.requiredTimes = ["iat"]
        return validation
    }

    /// What a client demands of an id_token.
    ///
    /// `typ` is `JWT` or missing; `sub` and `iat` are there; `azp` names the client when it is there, and is there with
    /// several audiences; `nonce` is the one of the request. `events`, which marks a logout token, must be missing. Whether
    /// `auth_time` and `acr` are good enough is for who asked for them.
    ///
    /// - Parameters:
    ///   - issuer: The OpenID provider.
    ///   - clientID: The client itself.
    ///   - nonce: `nonce` of the authorization request; `nil` when none was sent, as when the token came with a refresh.
    ///   - algorithms: The algorithms that are accepted.
    ///   - leeway: How far the clocks of provider and client may differ.
    /// - Returns: The demand.
    ///
    /// ## Specification
    ///
    /// [OpenID Connect Core §3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation)
    public static func idToken(
        issuer: String,
        clientID: String,
        nonce: String?,
        algorithms: Set<SignatureAlgorithm> = [.es256],
        leeway: Duration = .seconds(10)
    ) -> JWTValidation {
        var validation = JWTValidation(
            type: "JWT",
            issuer: issuer,
            audience: clientID,
            algorithms: algorithms,
            leeway: leeway
        )
        validation.requiresType = false
        validation.audienceRule = .authorizedParty
        validation.requiredStrings = ["sub"]
        validation.requiredTimes = ["iat"]
        if let nonce { validation.requiredValues = ["nonce": nonce] }
        validation.forbiddenClaims = ["events"]
        return validation
    }

    /// What an authorization server demands of the assertion that a client signs in with.
    ///
    /// `iss` and `sub` are the client, `aud` is the issuer of the server and a string; `jti` is there, for the caller to
    /// remember until `exp`, which lies at most ten minutes ahead. `typ` is `client-authentication+jwt`, `JWT` or missing.
    ///
    /// - Parameters:
    ///   - clientID: The client that is to be authenticated.
    ///   - issuer: The issuer of the authorization server; no endpoint of it.
    ///   - algorithms: The algorithms that are accepted.
    ///   - leeway: How far the clocks of client and server may differ.
    /// - Returns: The demand.
    ///
    /// ## Specification
    ///
    /// [RFC 7523 §3](https://www.rfc-editor.org/rfc/rfc7523#section-3),
    /// [FAPI 2.0 §5.3.2.1](https://openid.net/specs/fapi-security-profile-2_0-final.html#section-5.3.2.1)
    public static func clientAssertion(
        clientID: String,
        issuer: String,
        algorithms: Set<SignatureAlgorithm> = [.es256],
        leeway: Duration = .seconds(10)
    ) -> JWTValidation {
        var validation = JWTValidation(
            type: "client-authentication+jwt",
            issuer: clientID,
            audience: issuer,
            algorithms: algorithms,
            leeway: leeway
        )
        validation.types.insert("JWT")
        validation.requiresType = false
        validation.audienceRule = .string
        validation.requiredStrings = ["jti"]
        validation.requiredValues = ["sub": clientID]
        validation.maximumLifetime = .seconds(600)
        return validation
    }

    /// What an authorization server demands of a signed authorization request.
    ///
    /// `typ` is `oauth-authz-req+jwt`; `iss` and `client_id` are the client, `aud` contains the issuer of the server; `nbf`
    /// lies at most an hour in the past and `exp` at most an hour ahead. `request` and `request_uri` must be missing, and
    /// `sub`, with which a request could pass for the client's assertion.
    ///
    /// - Parameters:
    ///   - clientID: The client that asks.
    ///   - issuer: The issuer of the authorization server.
    ///   - algorithms: The algorithms that are accepted.
    ///   - leeway: How far the clocks of client and server may differ.
    /// - Returns: The demand.
    ///
    /// ## Specification
    ///
    /// [RFC 9101 §4 and §10.8](https://www.rfc-editor.org/rfc/rfc9101#section-4),
    /// [FAPI 2.0 Message Signing §5.3.1](https://openid.net/specs/fapi-message-signing-2_0.html)
    public static func requestObject(
        clientID: String,
        issuer: String,
        algorithms: Set<SignatureAlgorithm> = [.es256],
        leeway: Duration = .seconds(10)
    ) -> JWTValidation {
        var validation = JWTValidation(
            type: "oauth-authz-req+jwt",
            issuer: clientID,
            audience: issuer,
            algorithms: algorithms,
            leeway: leeway
        )
        validation.requiredTimes = ["nbf"]
        validation.requiredValues = ["client_id": clientID]
        validation.forbiddenClaims = ["sub", "request", "request_uri"]
        validation.maximumLifetime = .seconds(3600)
        validation.maximumAge = .seconds(3600)
        return validation
    }

    /// What a client demands of the signed answer to its authorization request.
    ///
    /// `iss` is the authorization server, `aud` contains the client, `state` is there. `typ` is `JWT` or missing, since the
    /// specification names none; what marks other kinds of token must therefore be missing: `sub` and `nonce` of id_tokens,
    /// `events` of logout tokens.
    ///
    /// - Parameters:
    ///   - issuer: The authorization server.
    ///   - clientID: The client itself.
    ///   - algorithms: The algorithms that are accepted.
    ///   - leeway: How far the clocks of server and client may differ.
    /// - Returns: The demand.
    ///
    /// ## Specification
    ///
    /// [JARM §2.1 and §2.4](https://openid.net/specs/oauth-v2-jarm.html#section-2.4)
    public static func authorizationResponse(
        issuer: String,
        clientID: String,
        algorithms: Set<SignatureAlgorithm> = [.es256],
        leeway: Duration = .seconds(10)
    ) -> JWTValidation {
        var validation = JWTValidation(
            type: "JWT",
            issuer: issuer,
            audience: clientID,
            algorithms: algorithms,
            leeway: leeway
        )
        validation.requiresType = false
        validation.requiredStrings = ["state"]
        validation.forbiddenClaims = ["sub", "nonce", "events"]
        return validation
    }
}
