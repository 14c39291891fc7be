// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
public import OAuthCore

/// The rules for clients that no operator knows: those with a metadata document, and those that register themselves
/// without a token.
///
/// Any program can be such a client, under any name. So both ways are off by default, such clients get no more than what is
/// listed here, users are told and asked each time, and a client that is not used is forgotten.
public struct UnregisteredClients: Sendable, Hashable {
    /// Whose metadata documents the server reads (draft-ietf-oauth-client-id-metadata-document-02).
    public var documents = ClientDocumentPolicy.off
    /// Whether clients may register themselves without an initial access token (RFC 7591 section 3).
    public var isRegistrationOpen = false
    /// What such a client may request; `nil` for what says only who the user is.
    public var scope: Scope?
    /// Whether such a client may have access tokens that are bound to no key.
    ///
    /// Then a client that says nothing about `dpop_bound_access_tokens` may use both, as in RFC 9449 section 5.2.
    public var allowsBearerTokens = false
    /// How long a client is kept after its last token; one that never got a token is kept for a day.
    ///
    /// At least a tenth longer than the lifetime of a refresh token.
    public var lifetime = Duration.seconds(90 * 86_400)
    /// The ports that documents are fetched from.
    public var documentPorts: Set<UInt16> = [443]
    /// Whether documents are also fetched by http and from `127.0.0.1` and `[::1]`, at any port: for experiments on one
    /// machine, with an issuer that is there too (section 8.6 of the draft).
    public var allowsInsecureLoopbackDocuments = false

    /// Makes rules under which no such client exists.
    public init() {}

    /// How long a client is kept that never got a token.
    static let firstLifetime = Duration.seconds(86_400)
}

extension ServerConfiguration {
    func validateUnregisteredClients() throws(AuthorizationServerError) {
        let rules = unregisteredClients
        guard rules.lifetime * 9 / 10 >= lifetimes.refreshToken || !(rules.isRegistrationOpen || rules.documents.isOn)
        else {
            throw .invalid(
                "unregisteredClients.lifetime",
                "a client that nobody registered is kept at least a tenth longer than a refresh token is valid"
            )
        }
        guard (rules.scope ?? .empty).isSubset(of: existingScope) else {
            throw .invalid("unregisteredClients.scopes", "a scope of clients that nobody registered does not exist")
        }
        if case .hosts(let hosts) = rules.documents {
            guard !hosts.isEmpty, hosts.allSatisfy(Self.isHost) else {
                throw .invalid(
                    "unregisteredClients.documents",
                    "the hosts of metadata documents are names in lower case, such as app.example, without a port"
                )
            }
        }
        guard !rules.allowsInsecureLoopbackDocuments || (allowsInsecureLoopbackIssuer && issuer.isLoopbackIPLiteral)
        else {
            throw .invalid(
                "unregisteredClients.allowInsecureLoopbackDocuments",
                "only a server on a loopback address fetches metadata documents from there "
                    + "(draft-ietf-oauth-client-id-metadata-document-02 section 8.6)"
            )
        }
    }

    private static func isHost(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || [0x2D, 0x2E, 0x3A, 0x5B, 0x5D].contains(byte)
            }
    }
}
