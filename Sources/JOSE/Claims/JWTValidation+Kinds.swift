// SPDX-License-Identifier: Apache-2.0

/// Validation rules for the kinds of token that OAuth roles exchange.
extension JWTValidation {
    /// The rules by which an API validates an access token.
    ///
    /// `typ` is `at+jwt`; `sub`, `client_id`, `iat` and `jti` are required.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the authorization server.
    ///   - audience: The identifier of the API.
    ///   - algorithms: The accepted algorithms.
    ///   - leeway: How far the clocks of authorization server and API may differ.
    /// - Returns: The validation rules.
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

    /// The rules by which a client validates an id_token.
    ///
    /// `typ` is `JWT` or missing. `sub` and `iat` are required. `azp`, if present, is the client, and it is required
    /// with several audiences. `nonce` equals that of the request. `events`, which marks a logout token, must be
    /// missing. The caller checks `auth_time` and `acr` if it requested them.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the OpenID provider.
    ///   - clientID: `client_id` of this client.
    ///   - nonce: `nonce` of the authorization request; `nil` if none was sent, for example after a refresh.
    ///   - algorithms: The accepted algorithms.
    ///   - leeway: How far the clocks of provider and client may differ.
    /// - Returns: The validation rules.
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

    /// The rules by which an authorization server validates a client assertion.
    ///
    /// `iss` and `sub` are the client. `aud` is a string and equals the issuer of the server. `jti` is required; the
    /// caller must remember it until `exp` to detect replay. `exp` is at most ten minutes ahead. `typ` is
    /// `client-authentication+jwt`, `JWT` or missing.
    ///
    /// - Parameters:
    ///   - clientID: `client_id` of the client that authenticates.
    ///   - issuer: The issuer identifier of the authorization server, not one of its endpoints.
    ///   - algorithms: The accepted algorithms.
    ///   - leeway: How far the clocks of client and server may differ.
    /// - Returns: The validation rules.
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

    /// The rules by which an authorization server validates a signed authorization request.
    ///
    /// `typ` is `oauth-authz-req+jwt`. `iss` and `client_id` are the client, and `aud` contains the issuer of the
    /// server. `nbf` is at most an hour in the past, and `exp` at most an hour ahead. `request`, `request_uri` and
    /// `sub` must be missing: with `sub`, a request object could pass as a client assertion.
    ///
    /// - Parameters:
    ///   - clientID: `client_id` of the client that sends the request.
    ///   - issuer: The issuer identifier of the authorization server.
    ///   - algorithms: The accepted algorithms.
    ///   - leeway: How far the clocks of client and server may differ.
    /// - Returns: The validation rules.
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

    /// The rules by which a client validates a signed authorization response.
    ///
    /// `iss` is the authorization server, `aud` contains the client, and `state` is required. `typ` is `JWT` or
    /// missing, since the specification defines no type. Claims that mark other kinds of token must therefore be
    /// missing: `sub` and `nonce` (id_tokens), `events` (logout tokens).
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the authorization server.
    ///   - clientID: `client_id` of this client.
    ///   - algorithms: The accepted algorithms.
    ///   - leeway: How far the clocks of server and client may differ.
    /// - Returns: The validation rules.
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

    /// The rules by which an authorization server validates a client attestation.
    ///
    /// `typ` is `oauth-client-attestation+jwt`; `sub` is the client, and `exp` and `iat` are required. Neither `iss` nor
    /// `aud` is read: the key says who attests, and one attestation is for any server. The caller reads the attested key
    /// from `cnf`, and demands a proof of it.
    ///
    /// - Parameters:
    ///   - clientID: `client_id` of the client that authenticates.
    ///   - algorithms: The accepted algorithms.
    ///   - leeway: How far the clocks of attester and server may differ.
    ///   - maximumLength: The maximum length of an attestation, in characters.
    /// - Returns: The validation rules.
    ///
    /// ## Specification
    ///
    /// draft-ietf-oauth-attestation-based-client-auth-11 sections 4 and 7.1
    public static func clientAttestation(
        clientID: String,
        algorithms: Set<SignatureAlgorithm> = [.es256],
        leeway: Duration = .seconds(60),
        maximumLength: Int = 8192
    ) -> JWTValidation {
        var validation = JWTValidation(
            typeWithoutParties: "oauth-client-attestation+jwt",
            algorithms: algorithms,
            leeway: leeway,
            maximumLength: maximumLength
        )
        validation.requiredValues = ["sub": clientID]
        validation.requiredTimes = ["iat"]
        return validation
    }
}
