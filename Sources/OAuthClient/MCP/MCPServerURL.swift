// SPDX-License-Identifier: Apache-2.0

package import HTTPMessage

/// The URL of an MCP server in its one spelling, which also names its session (Model Context Protocol 2026-07-28,
/// Authorization, Canonical Server URI).
package struct MCPServerURL: Sendable, Hashable {
    package let text: String
    package let uri: URI
    let origin: String

    /// Checks and normalises a URL: scheme and host in lower case, no fragment, no usual port, no slash at the end.
    package init(_ text: String, _ policy: URLPolicy) throws(OAuthClientError) {
        guard let given = try? URI(parsing: text), given.fragment == nil else {
            throw OAuthClientError(.invalidArgument, "the URL of the MCP server is malformed, or has a fragment")
        }
        let uri = try policy.url(text, "the URL of the MCP server")
        guard let origin = uri.origin else {
            throw OAuthClientError(.invalidArgument, "the URL of the MCP server has no host")
        }
        let path = uri.path.hasSuffix("/") ? String(uri.path.dropLast()) : uri.path
        self.text = origin + path + (uri.query.map { "?" + $0 } ?? "")
        self.origin = origin
        do {
            self.uri = try URI(parsing: self.text)
        } catch {
            throw OAuthClientError(.invalidArgument, "the URL of the MCP server is malformed", underlying: error)
        }
    }

    /// Checks that a token of this server may be sent to a URL: one of the same scheme, host and port.
    func requireOwn(_ target: String) throws(OAuthClientError) {
        guard (try? URI(parsing: target))?.origin == origin else {
            throw OAuthClientError(.invalidArgument, "the request is not for the MCP server of the session")
        }
    }
}
