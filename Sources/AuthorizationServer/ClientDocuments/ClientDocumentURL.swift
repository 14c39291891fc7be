// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

/// A `client_id` that is the URL of the client's metadata document
/// (draft-ietf-oauth-client-id-metadata-document-02 section 3).
struct ClientDocumentURL: Sendable {
    /// The longest one, in bytes: it stands in every grant of the client, and on pages.
    static let maximumLength = 256

    let text: String
    let uri: URI
    let host: String

    /// Whether a `client_id` could be one; others need no look at the storage.
    static func isPossible(_ clientID: String) -> Bool {
        clientID.hasPrefix("https://") || clientID.hasPrefix("http://")
    }

    /// Reads a `client_id`; throws the rule that it breaks.
    init(_ clientID: String, _ rules: UnregisteredClients) throws(ProtocolFailure) {
        guard clientID.utf8.count <= Self.maximumLength, let uri = try? URI(parsing: clientID),
            let host = uri.host, !host.isEmpty
        else { throw .clientDocument("its URL is malformed, or longer than \(Self.maximumLength) bytes") }
        let isLoopback = rules.allowsInsecureLoopbackDocuments && uri.isLoopbackIPLiteral
        guard uri.scheme == "https" || (uri.scheme == "http" && isLoopback) else {
            throw .clientDocument("its URL is not https")
        }
        guard uri.userinfo == nil, uri.fragment == nil, !uri.path.isEmpty else {
            throw .clientDocument("its URL has user information or a fragment, or no path")
        }
        let segments = uri.path.lowercased().replacing(text: "%2e", with: ".").split(separator: "/")
        guard !segments.contains("."), !segments.contains("..") else {
            throw .clientDocument("the path of its URL has '.' or '..' in it")
        }
        (text, self.uri, self.host) = (clientID, uri, host)
    }

    /// Whether a redirect URI leads to the host of the document, or to the user's own device.
    func isHome(ofRedirectURI text: String) -> Bool {
        Self.isHost(host, homeOfRedirectURI: text)
    }

    /// Whether a redirect URI leads to the host of a stored client's document, or to the user's own device
    /// (draft-ietf-oauth-client-id-metadata-document-02 section 8.1).
    ///
    /// - Parameters:
    ///   - clientID: `client_id` of a client whose document was read, whatever the policy is now.
    ///   - text: The redirect URI.
    /// - Returns: `false` also for a `client_id` without a host.
    static func isHome(_ clientID: String, ofRedirectURI text: String) -> Bool {
        guard let host = (try? URI(parsing: clientID))?.host else { return false }
        return isHost(host, homeOfRedirectURI: text)
    }

    private static func isHost(_ host: String, homeOfRedirectURI text: String) -> Bool {
        guard let uri = try? URI(parsing: text), uri.scheme == "https" else { return true }
        return uri.host?.lowercased() == host.lowercased()
    }
}

extension ProtocolFailure {
    /// draft-ietf-oauth-client-id-metadata-document-02 section 5.1: without the document the request is aborted.
    static func clientDocument(_ reason: String) -> ProtocolFailure {
        ProtocolFailure(.invalidClient, "the metadata document of the client cannot be used: \(reason)")
    }
}
