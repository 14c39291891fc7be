// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
import OAuthSystem

extension OAuth2Client {
    /// Fetches the metadata of the server, and caches it for an hour.
    ///
    /// The document of RFC 8414 is requested first; if there is none, that of OpenID Connect Discovery. It must name
    /// exactly the issuer that the client was made with: `https://a.example` and `https://a.example/` are different.
    ///
    /// - Returns: The metadata.
    /// - Throws: ``OAuthClientError/Code/serverBelowProfile`` when the configuration has a profile that the server does
    ///   not meet, ``OAuthClientError/Code/metadataOfAnotherIssuer``, ``OAuthClientError/Code/malformedResponse``,
    ///   ``OAuthClientError/Code/serverUnavailable``, ``OAuthClientError/Code/transportFailed``,
    ///   ``OAuthClientError/Code/cancelled``.
    ///
    /// ## Specification
    ///
    /// [RFC 8414 §3](https://www.rfc-editor.org/rfc/rfc8414#section-3)
    @discardableResult
    public func fetchAuthorizationServerMetadata() async throws(OAuthClientError) -> AuthorizationServerMetadata {
        let document = try await MetadataDiscovery(issuer: issuer, uri: issuerURI, transport: transport).fetch()
        try requireProfile(of: document)
        await metadata.keep(document, fetchedAt: clock.now())
        return document
    }

    /// The cached metadata, or else the fetched one.
    func currentMetadata() async throws(OAuthClientError) -> AuthorizationServerMetadata {
        let current: AuthorizationServerMetadata
        if let known = await metadata.metadata(at: clock.now()) {
            current = known
        } else {
            current = try await fetchAuthorizationServerMetadata()
        }
        try ClientMetadataDocument.requireSupport(configuration.clientMetadataDocument, by: current)
        return current
    }
}
