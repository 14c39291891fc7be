// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
public import OAuthCore

extension OAuth2Client {
    /// Fetches what the server says about itself, and keeps it for an hour.
    ///
    /// The document of RFC 8414 is asked for first; where there is none, that of OpenID Connect Discovery. It must name
    /// exactly the issuer that the client was made with: `https://a.example` and `https://a.example/` are two.
    ///
    /// - Returns: The metadata.
    /// - Throws: ``OAuthClientError/Code/metadataOfAnotherIssuer``, ``OAuthClientError/Code/malformedAnswer``,
    ///   ``OAuthClientError/Code/serverUnavailable``, ``OAuthClientError/Code/transportFailed``,
    ///   ``OAuthClientError/Code/cancelled``.
    ///
    /// ## Specification
    ///
    /// [RFC 8414 §3](https://www.rfc-editor.org/rfc/rfc8414#section-3)
    @discardableResult
    public func fetchAuthorizationServerMetadata() async throws(OAuthClientError) -> AuthorizationServerMetadata {
        let response = try await fetchMetadataDocument()
        guard response.status == 200 else { throw OAuthClientError(refusedBy: "the metadata address", response) }
        let document: AuthorizationServerMetadata
        do {
            document = try AuthorizationServerMetadata(parsing: Self.jsonObject(response))
        } catch {
            throw OAuthClientError(.malformedAnswer, "the metadata cannot be read", underlying: error)
        }
        // RFC 8414 section 3.3: identical, no slash folded.
        guard document.issuer.isIdentical(to: issuer) else {
            throw OAuthClientError(
                .metadataOfAnotherIssuer,
                "the metadata names another issuer; the issuer must be the same to the last character"
            )
        }
        await metadata.keep(document, fetchedAt: clock.now())
        return document
    }

    /// The metadata that is at hand, or else fetched.
    func currentMetadata() async throws(OAuthClientError) -> AuthorizationServerMetadata {
        if let known = await metadata.metadata(at: clock.now()) { return known }
        return try await fetchAuthorizationServerMetadata()
    }

    private func fetchMetadataDocument() async throws(OAuthClientError) -> HTTPResponse {
        do {
            let response = try await server.get(WellKnownURI.authorizationServerMetadata(of: issuerURI))
            guard response.status == 404 else { return response }
            return try await server.get(WellKnownURI.openIDConfiguration(of: issuerURI))
        } catch {
            throw OAuthClientError(
                error,
                otherwise: .invalidArgument,
                "the issuer is not one that metadata can be asked of"
            )
        }
    }

    /// The JSON object that an answer holds.
    static func jsonObject(_ response: HTTPResponse) throws -> JSONObject {
        guard let object = try JSONValue(parsing: response.body).objectValue else {
            throw OAuthClientError(.malformedAnswer, "the answer is not a JSON object")
        }
        return object
    }
}
