// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let clientDocuments = Setting(
        "unregisteredClients.documents",
        .list,
        option: "--client-documents",
        "HOST",
        standard: "off: the server sends no requests",
        "the hosts whose clients may have the URL of a metadata document as client_id, which the server fetches "
            + "(draft-ietf-oauth-client-id-metadata-document); or everybody; or off"
    )
    static let clientDocumentPorts = Setting(
        "unregisteredClients.documentPorts",
        .list,
        option: "--client-document-port",
        "PORT",
        standard: "443",
        "a port that metadata documents are fetched from"
    )
    static let openRegistration = Setting(
        "unregisteredClients.openRegistration",
        .flag,
        option: "--open-registration",
        standard: "false",
        "let clients register themselves without a registration token (RFC 7591): anybody, under any name"
    )
    static let unregisteredClientScopes = Setting(
        "unregisteredClients.scopes",
        .list,
        option: "--unregistered-client-scope",
        "SCOPE",
        standard: "openid and profile, as far as they are scopes of the server",
        "a scope for clients that have a metadata document or registered without a token"
    )
    static let unregisteredClientBearerTokens = Setting(
        "unregisteredClients.allowBearerTokens",
        .flag,
        option: "--allow-bearer-tokens-for-unregistered-clients",
        standard: "false",
        "issue tokens without a DPoP proof to such clients too, unless they ask for bound tokens; needs "
            + "allowBearerTokens"
    )
    static let unregisteredClientLifetime = Setting(
        "unregisteredClients.lifetime",
        .duration,
        option: "--unregistered-client-lifetime",
        "DURATION",
        standard: "90d",
        "how long such a client is kept after its last token; one that never got a token is kept for a day"
    )
    static let registrationLimit = Setting(
        "limits.registration",
        .text,
        option: "--registration-limit",
        "COUNT/DURATION",
        standard: "20/1h",
        "registrations without a token per address; or off"
    )
    static let clientDocumentLimit = Setting(
        "limits.clientDocument",
        .text,
        option: "--client-document-limit",
        "COUNT/DURATION",
        standard: "60/10m",
        "metadata documents that are fetched for one address; or off"
    )
    static let insecureLoopbackDocuments = Setting(
        "unregisteredClients.allowInsecureLoopbackDocuments",
        .flag,
        option: "--allow-insecure-loopback-client-documents",
        standard: "false",
        "fetch metadata documents also by http and from 127.0.0.1 and [::1], to try things out on one machine; needs "
            + "an issuer on a loopback address"
    )

    /// What clients may do that no operator knows.
    static let unregisteredClients: [Setting] = [
        clientDocuments, clientDocumentPorts, openRegistration, unregisteredClientScopes,
        unregisteredClientBearerTokens, unregisteredClientLifetime, registrationLimit, clientDocumentLimit,
        insecureLoopbackDocuments,
    ]
}
