// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let resources = Setting(
        "resources",
        .descriptions,
        option: "--resource",
        "URI={...}",
        standard: "none: only the audience",
        "another API that tokens can be issued for (resource, RFC 8707): scopes, format (jwt or opaque), lifetime, "
            + "algorithm, and claims, the names of claims about users that its tokens have"
    )
    static let claims = Setting(
        "claims",
        .lists,
        option: "--claims",
        "SCOPE=[...]",
        standard: "none",
        "the names of claims about users that a scope releases (OpenID Connect Core section 5.4); keybound user set or the "
            + "login system sets their values"
    )
    static let authorizationDetails = Setting(
        "authorizationDetails",
        .descriptions,
        option: "--authorization-details",
        "TYPE={...}",
        standard: "none",
        "a type of authorization details (RFC 9396): its text for the consent page, and its fields"
    )
    static let requireSignedRequests = Setting(
        "requireSignedRequestObject",
        .flag,
        option: "--require-signed-request-object",
        standard: "false",
        "accept only signed authorization requests (RFC 9101)"
    )
    static let requireBoundCodes = Setting(
        "requireBoundAuthorizationCodes",
        .flag,
        option: "--require-bound-authorization-codes",
        standard: "false",
        "accept authorization requests only with dpop_jkt, or pushed with a DPoP proof (RFC 9449 section 10), and device "
            + "authorization requests only with a proof"
    )
    static let allowBearerTokens = Setting(
        "allowBearerTokens",
        .flag,
        option: "--allow-bearer-tokens",
        standard: "false",
        "issue tokens without a DPoP proof to clients that were added with --allow-bearer-tokens"
    )

    static let clientAssertionAlgorithms = Setting(
        "clientAssertionAlgorithms",
        .list,
        option: "--client-assertion-algorithm",
        "ALG",
        standard: "ES256, Ed25519, EdDSA, PS256",
        "the signature algorithms allowed for client assertions (private_key_jwt)"
    )
    static let assertionAudience = Setting(
        "assertionAudience",
        .text,
        option: "--assertion-audience",
        "RULE",
        standard: "issuer",
        "what client assertions may have as aud: issuer; or issuer-or-endpoint, for clients that send the token endpoint, "
            + "which a client of two servers should not do"
    )
    static let bindConfidentialRefreshTokens = Setting(
        "bindConfidentialRefreshTokens",
        .flag,
        option: "--bind-confidential-refresh-tokens",
        standard: "false",
        "bind refresh tokens to the DPoP key also for clients with a secret or a key of their own, which they are bound "
            + "to already (RFC 9449 section 5)"
    )
    static let errorRedirects = Setting(
        "errorRedirects",
        .text,
        option: "--error-redirects",
        "WHEN",
        standard: "signed-in",
        "when authorization errors go to the client without a click: signed-in, if the user is signed in and an operator "
            + "registered the client; or always, which makes the server an open redirector (RFC 9700 section 4.11.2)",
        choices: ["signed-in", "always"]
    )
    static let requestObjectAlgorithms = Setting(
        "requestObjectAlgorithms",
        .list,
        option: "--request-object-algorithm",
        "ALG",
        standard: "ES256, Ed25519, EdDSA, PS256",
        "the signature algorithms allowed for signed authorization requests (RFC 9101)"
    )

    /// What clients may request, and how.
    static let requests: [Setting] = [
        resources, claims, authorizationDetails, requireSignedRequests, requireBoundCodes, allowBearerTokens,
        clientAssertionAlgorithms, assertionAudience, bindConfidentialRefreshTokens, requestObjectAlgorithms,
        errorRedirects,
    ]
}
