// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// The metadata document of a client, as it was fetched (draft-ietf-oauth-client-id-metadata-document-02).
struct ClientDocument {
    /// In bytes (draft-ietf-oauth-client-id-metadata-document-02 section 8.7).
    static let maximumSize = 5120

    let url: ClientDocumentURL
    private let object: JSONObject
    /// How long it may be used.
    let lifetime: Duration

    /// Reads the response to a request for the document.
    init(_ response: HTTPResponse, from url: ClientDocumentURL) throws(ProtocolFailure) {
        // draft-ietf-oauth-client-id-metadata-document-02 section 5: redirects are not followed.
        guard response.status == 200 else { throw .clientDocument("its URL did not answer with status 200") }
        let fields = DocumentFields(fields: response.fields)
        guard fields.isJSON else { throw .clientDocument("it is not application/json") }
        guard response.body.count <= Self.maximumSize else {
            throw .clientDocument("it is longer than \(Self.maximumSize) bytes")
        }
        guard let object = (try? JSONValue(parsing: response.body))?.objectValue?.withoutNulls else {
            throw .clientDocument("it is no JSON object")
        }
        // draft-ietf-oauth-client-id-metadata-document-02 section 4: the same text as the URL, by simple string comparison.
        guard let clientID = object["client_id"]?.stringValue, clientID.isIdentical(to: url.text) else {
            throw .clientDocument("its 'client_id' is not its URL, character by character")
        }
        // draft-ietf-oauth-client-id-metadata-document-02 section 4.1.
        for name in ["client_secret", "client_secret_expires_at"] where object[name] != nil {
            throw .clientDocument("it has a secret, which everybody can read")
        }
        (self.url, self.object) = (url, object)
        lifetime = fields.lifetime
    }

    /// The client that it describes.
    func client(_ configuration: ServerConfiguration, at now: Timestamp) throws(ProtocolFailure) -> RegisteredClient {
        var metadata = object
        metadata["client_id"] = nil
        let rules = configuration.unregisteredClients
        let policy = RegistrationPolicy(
            configuration: configuration,
            token: RegistrationTokenPolicy(scope: rules.scope, allowsBearerTokens: rules.allowsBearerTokens),
            origin: .document,
            bindsUnlessAsked: !rules.allowsBearerTokens
        )
        var client: RegisteredClient
        do throws(ProtocolFailure) {
            client = try policy.client(RegistrationRequest(metadata), clientID: url.text, at: now)
            try checkRedirectURIs(client)
        } catch {
            throw .clientDocument(error.description)
        }
        do {
            try ClientRules.check(client)
        } catch {
            throw .clientDocument(error.reason)
        }
        // Left out, not refused: everything else of a document that was published before this rule, such as keys, counts.
        client.postLogoutRedirectURIs.removeAll { !url.isHome(ofRedirectURI: $0) }
        client.documentExpiresAt = now + lifetime
        client.expiresAt = now + UnregisteredClients.firstLifetime
        return client
    }

    /// draft-ietf-oauth-client-id-metadata-document-02 section 8.1: codes go to the host of the document, or to the user's own device.
    ///
    /// Otherwise a document could send users to addresses of another owner from a page with the name of its own host.
    private func checkRedirectURIs(_ client: RegisteredClient) throws(ProtocolFailure) {
        guard client.redirectURIs.allSatisfy({ url.isHome(ofRedirectURI: $0) }) else {
            throw ProtocolFailure(
                .invalidRedirectURI,
                "an https URI of redirect_uris is of another host than the document"
            )
        }
    }
}
