// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let resources = Setting(
        "resources",
        .descriptions,
        option: "--resource",
        "URI={...}",
        standard: "none: the audience alone",
        "another API that tokens can be for (resource, RFC 8707): scopes, format (jwt or opaque), lifetime, algorithm"
    )
    static let authorizationDetails = Setting(
        "authorizationDetails",
        .descriptions,
        option: "--authorization-details",
        "TYPE={...}",
        standard: "none",
        "a type of authorization details that exists (RFC 9396): text for the consent page, and fields"
    )
    static let requireSignedRequests = Setting(
        "requireSignedRequestObject",
        .flag,
        option: "--require-signed-request-object",
        standard: "false",
        "accept authorization requests only when they are signed (RFC 9101)"
    )
    static let requireBoundCodes = Setting(
        "requireBoundAuthorizationCodes",
        .flag,
        option: "--require-bound-authorization-codes",
        standard: "false",
        "accept authorization requests only with dpop_jkt, or pushed with a DPoP proof (RFC 9449 section 10)"
    )
    static let allowBearerTokens = Setting(
        "allowBearerTokens",
        .flag,
        option: "--allow-bearer-tokens",
        standard: "false",
        "give out tokens without a DPoP proof to clients that were added with --allow-bearer-tokens"
    )

    static let clientAssertionAlgorithms = Setting(
        "clientAssertionAlgorithms",
        .list,
        option: "--client-assertion-algorithm",
        "ALG",
        standard: "ES256, Ed25519, EdDSA, PS256",
        "what the assertions of clients may be signed with (private_key_jwt)"
    )
    static let requestObjectAlgorithms = Setting(
        "requestObjectAlgorithms",
        .list,
        option: "--request-object-algorithm",
        "ALG",
        standard: "ES256, Ed25519, EdDSA, PS256",
        "what signed authorization requests may be signed with (RFC 9101)"
    )

    /// What is decided about the requests of clients.
    static let requests: [Setting] = [
        resources, authorizationDetails, requireSignedRequests, requireBoundCodes, allowBearerTokens,
        clientAssertionAlgorithms, requestObjectAlgorithms,
    ]
}
