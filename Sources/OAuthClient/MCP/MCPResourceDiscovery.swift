// SPDX-License-Identifier: Apache-2.0

package import HTTPMessage
package import OAuthCore
import OAuthTransport

/// Finds the metadata of an MCP server (RFC 9728, in the order of the Model Context Protocol 2026-07-28).
package struct MCPResourceDiscovery: Sendable {
    let server: MCPServerURL
    let transport: any HTTPTransport
    let policy: URLPolicy

    /// The challenges with which the server refuses a request without a token; none if it accepts one.
    package func probe() async throws(OAuthClientError) -> [Challenge] {
        // Not a stream of events: a public one would have no end.
        let request = HTTPRequest(target: server.text, fields: ["Accept": "application/json"])
        let response: HTTPResponse
        do {
            response = try await transport.send(request, maximumBodySize: 65_536)
        } catch {
            // An answer that does not end, such as a stream of events, is no challenge either; a server that is gone has
            // no metadata, and the next request says so.
            guard error.code != .cancelled else { throw OAuthClientError(transport: error) }
            return []
        }
        guard response.status == 401 || response.status == 403 else { return [] }
        return (try? Challenge.parse(response.fields.values(for: "WWW-Authenticate"))) ?? []
    }

    /// The metadata: from the address in the challenge, from that of the path, from that of the root.
    ///
    /// A document that names something else is a lie or a mistake, and nothing else is tried after it.
    package func metadata(_ challenges: [Challenge]) async throws(OAuthClientError) -> ProtectedResourceMetadata {
        var failure: OAuthClientError?
        for address in try addresses(challenges) {
            // Redirects are not followed: the transport returns them.
            let response = try await transport.get(address)
            if response.status == 200, let object = try? response.jsonObject(),
                let document = try? ProtectedResourceMetadata(parsing: object)
            {
                return try checked(document)
            }
            if response.status == 429 || response.status >= 500 {
                failure = failure ?? OAuthClientError(rejectedBy: "the metadata address of the MCP server", response)
            }
        }
        throw failure
            ?? OAuthClientError(.unsupportedByServer, "the MCP server does not say which authorization server it uses")
    }

    private func addresses(_ challenges: [Challenge]) throws(OAuthClientError) -> [URI] {
        var addresses: [URI] = []
        if let named = try namedAddress(challenges) { addresses.append(named) }
        do {
            addresses.append(try WellKnownURI.protectedResourceMetadata(of: server.uri))
            addresses.append(try WellKnownURI.protectedResourceMetadata(of: URI(parsing: server.origin)))
        } catch {
            throw OAuthClientError(.invalidArgument, "no address can be made from the URL", underlying: error)
        }
        var distinct: [URI] = []
        for address in addresses where !distinct.contains(address) { distinct.append(address) }
        return distinct
    }

    /// `resource_metadata` of the first challenge that has one (RFC 9728 section 5.1).
    private func namedAddress(_ challenges: [Challenge]) throws(OAuthClientError) -> URI? {
        let text = challenges.lazy.filter { $0.hasScheme("Bearer") || $0.hasScheme("DPoP") }
            .compactMap { $0.value(for: "resource_metadata") }.first
        guard let text else { return nil }
        guard let uri = try? URI(parsing: text), uri.userinfo == nil, uri.fragment == nil else {
            throw OAuthClientError(.malformedResponse, "'resource_metadata' of the challenge is not a URL")
        }
        try policy.requireSecure(uri, "'resource_metadata' of the challenge")
        // A server somewhere else must not make this machine ask its own services.
        guard !uri.isLoopbackIPLiteral || server.uri.isLoopbackIPLiteral else {
            throw OAuthClientError(.insecureURL, "'resource_metadata' of the challenge is on this machine")
        }
        return uri
    }

    /// RFC 9728 section 3.3, and the rule of MCP that a document of the host covers what is below it.
    private func checked(
        _ document: ProtectedResourceMetadata
    ) throws(OAuthClientError) -> ProtectedResourceMetadata {
        guard ResourceMatching.coveringPath.accepts(document.resource, for: server.text) else {
            throw OAuthClientError(.metadataOfAnotherResource, "the metadata is that of another MCP server")
        }
        guard document.authorizationServers?.isEmpty == false else {
            throw OAuthClientError(.unsupportedByServer, "the metadata of the MCP server names no authorization server")
        }
        return document
    }
}
