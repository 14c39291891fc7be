// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

/// Fetches the metadata of a server (RFC 8414 section 3).
struct MetadataDiscovery: Sendable {
    /// The issuer identifier, as passed to the initializer.
    let issuer: String
    let uri: URI
    let transport: any HTTPTransport

    func fetch() async throws(OAuthClientError) -> AuthorizationServerMetadata {
        let response = try await fetchDocument()
        guard response.status == 200 else { throw OAuthClientError(rejectedBy: "the metadata address", response) }
        let document: AuthorizationServerMetadata
        do {
            document = try AuthorizationServerMetadata(parsing: response.jsonObject())
        } catch {
            throw OAuthClientError(.malformedResponse, "the metadata cannot be read", underlying: error)
        }
        // RFC 8414 section 3.3: identical, including a trailing slash.
        guard document.issuer.isIdentical(to: issuer) else {
            throw OAuthClientError(
                .metadataOfAnotherIssuer,
                "the metadata names another issuer; the issuer must be the same to the last character"
            )
        }
        return document
    }

    private func fetchDocument() async throws(OAuthClientError) -> HTTPResponse {
        do {
            let response = try await transport.get(WellKnownURI.authorizationServerMetadata(of: uri))
            guard response.meansNoDocument else { return response }
            return try await transport.get(WellKnownURI.openIDConfiguration(of: uri))
        } catch {
            throw OAuthClientError(
                error,
                otherwise: .invalidArgument,
                "the issuer is not one that metadata can be asked of"
            )
        }
    }
}
