// SPDX-License-Identifier: Apache-2.0

package import HTTPMessage

/// Decides which URLs requests may be sent to.
package struct URLPolicy: Sendable {
    let allowsInsecureHTTPOnLoopback: Bool

    package init(allowsInsecureHTTPOnLoopback: Bool) {
        self.allowsInsecureHTTPOnLoopback = allowsInsecureHTTPOnLoopback
    }

    /// Checks that a URL is https, or http on a loopback address if that was explicitly allowed.
    func requireSecure(_ uri: URI, _ what: String) throws(OAuthClientError) {
        let scheme = uri.scheme.lowercased()
        if scheme == "https" { return }
        if scheme == "http", uri.isLoopbackIPLiteral, allowsInsecureHTTPOnLoopback { return }
        let hint = "http needs allowsInsecureHTTPOnLoopback and the address 127.0.0.1 or [::1]"
        throw OAuthClientError(.insecureURL, "\(what) is not an https URL; \(hint)")
    }

    /// Parses a secure URL with a host, without user information and fragment.
    package func url(_ text: String, _ what: String) throws(OAuthClientError) -> URI {
        guard let uri = try? URI(parsing: text), uri.host != nil, uri.userinfo == nil, uri.fragment == nil else {
            throw OAuthClientError(.invalidArgument, "\(what) is not a URL without user information and fragment")
        }
        try requireSecure(uri, what)
        return uri
    }

    /// Parses an issuer identifier (RFC 8414 section 2).
    func issuer(_ text: String) throws(OAuthClientError) -> URI {
        let uri = try url(text, "the issuer")
        guard uri.query == nil else { throw OAuthClientError(.invalidArgument, "the issuer has a query") }
        return uri
    }

    /// Returns an endpoint of the metadata.
    ///
    /// Throws if the metadata does not have it.
    func endpoint(_ uri: URI?, _ name: String) throws(OAuthClientError) -> URI {
        guard let uri else {
            throw OAuthClientError(.unsupportedByServer, "the metadata of the server has no '\(name)'")
        }
        // RFC 6749 sections 3.1 and 3.2: no fragment.
        guard uri.fragment == nil, uri.userinfo == nil else {
            throw OAuthClientError(.malformedResponse, "'\(name)' of the metadata has a fragment or user information")
        }
        try requireSecure(uri, "'\(name)' of the metadata")
        return uri
    }
}
