// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
import OAuthSystem

extension OAuth2Client {
    /// Fetches the metadata of the server, and caches it.
    ///
    /// The document of RFC 8414 is requested first, then that of OpenID Connect Discovery, at the address between host and
    /// path and at the one after the path. It must name exactly the issuer that the client was made with:
    /// `https://a.example` and `https://a.example/` are different. An answer that is not such a document leads to the next
    /// address; no redirect is followed. A server that is not available is asked once more after a moment. The document is cached for its `max-age`, at least five minutes and at most a day,
    /// or else for an hour. If it cannot be fetched again then, the client goes on with it until it is a day old.
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
        let document = try await context.metadata.fetch(at: clock.now(), by: discovery)
        try requireProfile(of: document)
        return document
    }

    private var discovery: MetadataDiscovery {
        MetadataDiscovery(issuer: issuer, uri: issuerURI, transport: transport, repeater: repeater)
    }

    /// The cached metadata, or else the fetched one.
    func currentMetadata() async throws(OAuthClientError) -> AuthorizationServerMetadata {
        let current = try await context.metadata.metadata(at: clock.now(), by: discovery)
        try requireProfile(of: current)
        try ClientMetadataDocument.requireSupport(configuration.clientMetadataDocument, by: current)
        return current
    }
}
